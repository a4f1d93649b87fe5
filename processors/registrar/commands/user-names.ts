import type { CompanyContext } from '../deciding/command.ts'

/** Describes a record of a machine's time for an error message: the machine's name and the instant. */
export function momentName(machineId: string, at: string, { records }: CompanyContext): string {
  return `${records.machine(machineId)?.name ?? machineId} ${at}`
}
