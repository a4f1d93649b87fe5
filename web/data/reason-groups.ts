import type { DowntimeReasonResponse } from '../../schema/records/downtime-reason.ts'
import type { MachineListItem } from '../../schema/records/machine.ts'

/** The reasons of a group; of no group: name null. */
interface ReasonGroup {
  readonly name: string | null
  readonly reasons: readonly DowntimeReasonResponse[]
}

/** Returns the groups of reasons in the order of their first reasons; the reasons without a group are first. */
export function groupReasons(reasons: readonly DowntimeReasonResponse[]): readonly ReasonGroup[] {
  const names = new Set(reasons.map(({ group }) => group))
  const ordered = [...(names.delete(null) ? [null] : []), ...names]
  return ordered.map(name => ({ name, reasons: reasons.filter(({ group }) => group === name) }))
}

/** Returns the reasons in the order of their groups. */
export function inGroupOrder(reasons: readonly DowntimeReasonResponse[]): readonly DowntimeReasonResponse[] {
  return groupReasons(reasons).flatMap(group => group.reasons)
}

/** Returns whether a reason applies to all of some machines: it names no machine groups, or one of each machine. */
export function appliesToAll(
  { machineGroupIds }: Pick<DowntimeReasonResponse, 'machineGroupIds'>,
  machines: readonly Pick<MachineListItem, 'machineGroups'>[],
): boolean {
  if (machineGroupIds.length === 0) return true
  return machines.every(({ machineGroups }) => machineGroups.some(({ id }) => machineGroupIds.includes(id)))
}

/** Returns the name of a reason with that of its group. */
export function reasonTitle({ group, name }: Pick<DowntimeReasonResponse, 'group' | 'name'>): string {
  return group === null ? name : `${group}: ${name}`
}
