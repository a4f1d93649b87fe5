import type { CompanyContext } from '../deciding/command.ts'

/** Tells a caller which record of a machine's time is meant: the machine's name and the instant. */
export function momentName(machineId: string, at: string, { records }: CompanyContext): string {
  return `${records.machine(machineId)?.name ?? machineId} ${at}`
}
