import type { MachineListItem } from '../../schema/records/machine.ts'

/** Status of a machine. */
export type Status = MachineListItem['status']

/** Order of statuses wherever they are listed: what needs somebody comes first. */
export const statusOrder: readonly Status[] = ['FAULT', 'INACTIVE', 'ACTIVE', 'UNAVAILABLE']
