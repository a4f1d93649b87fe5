import type { Status } from '../../../schema/document.ts'
import { byNaturalOrder } from '../../data/natural-order.ts'
import { statusOrder } from '../../data/status.ts'
import { hasWords, wordsIn } from '../../ui/find-options.ts'
import type { FloorMachine } from './floor-machine.ts'

/** How the machines of the floor can be arranged. */
export const arrangements = ['group', 'status', 'stop', 'none'] as const
export type Arrangement = (typeof arrangements)[number]

/** Sizes of tiles: `compact` shows more machines, with status, since when, OEE and incident only. */
export const tileSizes = ['large', 'compact'] as const
export type TileSize = (typeof tileSizes)[number]

/** Status of a machine in scheduled time; `unscheduled`: it is neither in cycle nor should it be. */
export type FloorStatus = Status | 'unscheduled'
export const floorStatuses: readonly FloorStatus[] = [...statusOrder, 'unscheduled']

/** Filter, order and size of the machines' tiles. */
export interface FloorView {
  readonly words: string
  /** null: all. */
  readonly status: FloorStatus | null
  /** Id of a group; null: all. */
  readonly groupId: string | null
  readonly by: Arrangement
  readonly size: TileSize
}

/** Machines under one heading. */
export interface Section {
  readonly key: string
  readonly title: string | null
  readonly machines: readonly FloorMachine[]
}

/** Reads the view from the query of the address. */
export function floorViewOf(query: URLSearchParams): FloorView {
  const [status, by, size] = [query.get('status'), query.get('by'), query.get('tiles')]
  return {
    words: query.get('q') ?? '',
    status: floorStatuses.find(each => each === status) ?? null,
    groupId: query.get('group'),
    by: arrangements.find(each => each === by) ?? 'group',
    size: tileSizes.find(each => each === size) ?? 'large',
  }
}

/** The machines that fit, by name. */
export function select(machines: readonly FloorMachine[], view: FloorView): readonly FloorMachine[] {
  const words = wordsIn(view.words)
  return machines.filter(
    each =>
      (view.status === null || floorStatusOf(each) === view.status) &&
      (view.groupId === null || each.machine.machineGroups.some(({ id }) => id === view.groupId)) &&
      (words.length === 0 || fits(each, words)),
  )
}

function fits({ machine, activity }: FloorMachine, words: readonly string[]): boolean {
  const { name, make, model, erpMachineId, machineGroups } = machine
  const groups = machineGroups.map(group => group.name)
  const { job = null, part = null, operators = [], reason = null } = activity ?? {}
  return hasWords([name, make, model, erpMachineId, ...groups, job, part, ...operators, reason?.name].join(' '), words)
}

/** Puts the machines under headings. A machine of several groups stands in each of them. */
export function arrangeMachines(
  machines: readonly FloorMachine[],
  by: Arrangement,
  titles: { readonly statuses: Readonly<Record<FloorStatus, string>>; readonly noGroup: string },
): readonly Section[] {
  if (by === 'none') return machines.length === 0 ? [] : [{ key: '', title: null, machines }]
  if (by === 'stop')
    return machines.length === 0 ? [] : [{ key: '', title: null, machines: longestStopFirst(machines) }]
  if (by === 'status')
    return floorStatuses
      .map(status => ({
        key: status,
        title: titles.statuses[status],
        machines: machines.filter(each => floorStatusOf(each) === status),
      }))
      .filter(section => section.machines.length > 0)
  const byGroup = new Map<string, { title: string; machines: FloorMachine[] }>()
  const none: FloorMachine[] = []
  for (const each of machines) {
    if (each.machine.machineGroups.length === 0) none.push(each)
    for (const { id, name } of each.machine.machineGroups) {
      const group = byGroup.get(id)
      if (group) group.machines.push(each)
      else byGroup.set(id, { title: name, machines: [each] })
    }
  }
  const groups = [...byGroup]
    .map(([key, { title, machines }]) => ({ key, title, machines }))
    .sort((a, b) => byNaturalOrder(a.title, b.title))
  return none.length === 0 ? groups : [...groups, { key: '', title: titles.noGroup, machines: none }]
}

/** Machines in scheduled stops, the longest first, then the others in their order. */
function longestStopFirst(machines: readonly FloorMachine[]): readonly FloorMachine[] {
  const sinceOf = ({ stop }: FloorMachine) => stop?.sinceMs ?? Number.MAX_SAFE_INTEGER
  return machines.toSorted((a, b) => sinceOf(a) - sinceOf(b))
}

/** Number of machines by status. */
export function countStatuses(machines: readonly FloorMachine[]): ReadonlyMap<FloorStatus, number> {
  const counts = new Map<FloorStatus, number>()
  for (const each of machines) {
    const status = floorStatusOf(each)
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return counts
}

function floorStatusOf({ now, isScheduled }: FloorMachine): FloorStatus {
  return isScheduled ? now.status : 'unscheduled'
}
