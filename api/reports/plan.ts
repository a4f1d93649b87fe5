import { absentId, type GroupingName, isTimeGrouping, type TimeGrouping } from '../../schema/groupings.ts'
import type { Bucket, Calendar, TimeRange } from '../../processors/calendar/types.ts'
import type { CompanyView } from './company-view.ts'
import type { Filters } from './request.ts'

/** What the plans of all reports have in common. */
export interface ReportPlan {
  /** `ref` of the company. */
  readonly company: number
  readonly range: TimeRange
  readonly keys: Keys
  readonly filters: RefFilters
  /** The buckets of each time grouping; the first one holds the range's start. */
  readonly buckets: ReadonlyMap<TimeGrouping, readonly Bucket[]>
  /** Bounds of all buckets, UTC ms, ascending: between two of them no bucket begins. */
  readonly cellsMs: readonly number[]
}

/** What tells rows apart. */
export interface Keys {
  /** By cell between bounds of buckets. */
  readonly cell: boolean
  /** `set`: by the set of groups that machines are in. */
  readonly machine: 'no' | 'set' | 'yes'
  readonly shift: boolean
  readonly run: boolean
  readonly operation: boolean
  readonly operators: boolean
  /** Each machine's set of groups by ref, where rows are told apart by it. */
  readonly machineGroupSets: ReadonlyMap<number, number>
}

/** Only time with one of the refs counts; 0 is time without one. null: all of it. */
export interface RefFilters {
  readonly machines: readonly number[] | null
  readonly shifts: readonly number[] | null
  readonly runs: readonly number[] | null
  readonly operators: readonly number[] | null
}

export interface Circumstances {
  readonly view: CompanyView
  /** Of the company, without a schedule. */
  readonly calendar: Calendar
  readonly nowMs: number
}

/** Shop days that lie wholly in the range, ascending. */
export function shopDaysIn(range: TimeRange, calendar: Calendar): readonly TimeRange[] {
  const { startMs, endMs } = range
  const days = startMs < endMs ? calendar.bucketsOf('day', startMs, endMs) : []
  return days.filter(day => day.startMs >= startMs && day.endMs <= endMs)
}

/** Machines that are in the same groups are in one set. */
export function machineGroupSetsOf({ machines }: CompanyView): ReadonlyMap<number, number> {
  const sets = new Map<string, number>()
  return new Map(
    machines.map(({ ref, machineGroupIds }) => {
      const key = JSON.stringify(machineGroupIds.toSorted())
      const set = sets.get(key) ?? ref
      sets.set(key, set)
      return [ref, set]
    }),
  )
}

/** The buckets of each time grouping in a range. */
export function bucketsOf(groupBy: readonly GroupingName[], calendar: Calendar, { startMs, endMs }: TimeRange) {
  const units = groupBy.filter(isTimeGrouping)
  return new Map(units.map(unit => [unit, startMs < endMs ? calendar.bucketsOf(unit, startMs, endMs) : []]))
}

/** Bounds of all buckets, ascending. */
export function cellsOf(buckets: readonly (readonly Bucket[])[]): readonly number[] {
  return [...new Set(buckets.flatMap(list => list.map(({ startMs }) => startMs)))].sort((a, b) => a - b)
}

/** Filters by refs of records. */
export function refFilters(filters: Filters, view: CompanyView): RefFilters {
  return {
    machines: machineRefs(filters, view),
    shifts: refs(filters.shift, id => [...view.shifts.values()].filter(shift => shift.id === id).map(({ ref }) => ref)),
    runs: refs(filters.jobOperation, id => view.runsOfOperation(id)),
    operators: refs(filters.operator, id =>
      [...view.operators.values()].filter(each => each.id === id).map(({ ref }) => ref),
    ),
  }
}

/** Refs of the ids; an id that nothing has keeps nothing. */
function refs(ids: readonly string[] | undefined, of: (id: string) => readonly number[]): readonly number[] | null {
  return ids ? [...new Set(ids.flatMap(id => (id === absentId ? [0] : of(id))))] : null
}

function machineRefs({ machine, machineGroup }: Filters, view: CompanyView): readonly number[] | null {
  if (!machine && !machineGroup) return null
  const machines = machine && new Set(machine.map(id => id.toLowerCase()))
  const groups = machineGroup && new Set(machineGroup)
  return view.machines
    .filter(({ id }) => !machines || machines.has(id))
    .filter(({ machineGroupIds }) => !groups || groupIds(machineGroupIds).some(id => groups.has(id)))
    .map(({ ref }) => ref)
}

/** Ids of the machine's items in a grouping by machine group. */
export function groupIds(machineGroupIds: readonly string[]): readonly string[] {
  return machineGroupIds.length > 0 ? machineGroupIds : [absentId]
}
