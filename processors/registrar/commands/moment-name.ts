import type { CompanyContext } from '../deciding/command.ts'

/** Describes a record by machine name and instant, for an error message. */
export function momentName(machineId: string, at: string, { records }: CompanyContext): string {
  return `${records.machine(machineId)?.name ?? machineId} ${at}`
}
