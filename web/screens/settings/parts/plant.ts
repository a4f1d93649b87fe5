import type { MachineListItem } from '../../../../schema/records/machine.ts'
import type { machineGroupResponse } from '../../../../schema/records/machine-group.ts'
import type { ScheduleResponse } from '../../../../schema/records/schedule.ts'
import type { Infer } from '../../../../schema/types.ts'
import type { Client } from '../../../data/client.ts'

export type Group = Infer<typeof machineGroupResponse>

/** Machines, their groups and their schedules. */
export interface PlantRecords {
  readonly machines: readonly MachineListItem[]
  readonly groups: readonly Group[]
  readonly schedules: readonly ScheduleResponse[]
}

/** Loads the machines that are in service, with groups and schedules by name. */
export async function loadPlant(client: Client): Promise<PlantRecords> {
  const [machines, groups, schedules] = await Promise.all([
    client.call('GET /machines'),
    client.call('GET /machine-groups'),
    client.call('GET /schedules'),
  ])
  return { machines: byName(machines), groups: byName(groups), schedules: byName(schedules) }
}

/** In the order of their names, with numbers in them by their value. */
export function byName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}

/** Options of a choice among records. */
export function optionsOf(items: readonly { readonly id: string; readonly name: string }[]) {
  return items.map(({ id, name }) => ({ value: id, title: name }))
}

/** Options of a choice among values, in the order of their texts. */
export function optionsIn(titles: Readonly<Record<string, string>>) {
  return Object.entries(titles).map(([value, title]) => ({ value, title }))
}

export function membersOf({ machineIds }: Group, { machines }: PlantRecords): readonly MachineListItem[] {
  const ids = new Set(machineIds)
  return machines.filter(({ id }) => ids.has(id))
}

const shown = 5

/** The first few names, and how many others there are. */
export function namesOf(items: readonly { readonly name: string }[], andMore: (count: number) => string): string {
  const names = items.slice(0, shown).map(({ name }) => name)
  const rest = items.length - names.length
  return names.length === 0 ? '–' : [...names, ...(rest > 0 ? [andMore(rest)] : [])].join(', ')
}
