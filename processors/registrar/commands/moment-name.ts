import type { Use } from '../../../schema/commands/uses.ts'
import { instantText } from '../../../shared/time/instant.ts'
import type { CompanyContext } from '../deciding/command.ts'

/** Describes a record by machine name and instant, for an error message. */
export function momentName({ machineId, startMs }: Use, { records }: CompanyContext): string {
  return `${records.machine(machineId)?.name ?? machineId} ${instantText(startMs)}`
}
