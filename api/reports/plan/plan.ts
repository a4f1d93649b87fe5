import type { Bucket, Calendar, TimeRange } from '../../../processors/calendar/types.ts'
import { type GroupingName, isTimeGrouping, type TimeGrouping } from '../../../schema/groupings.ts'
import { allKeys, type KeyName } from '../query/columns.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { ReportRequest } from '../request/request.ts'
import { keepsNothing, type RefFilters, refFilters } from './filters.ts'
import { clampRange } from './range.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** The question that a report asks the store: data, without SQL. No later stage changes it. */
export interface ReportPlan {
  /** `ref` of the company. */
  readonly companyRef: CompanyRef
  readonly range: TimeRange
  /** Time whose documents are read: longer than the range where it must be known how long events last. */
  readonly readRange: TimeRange
  /** Shop days in the range that documents of days could answer for, ascending. */
  readonly shopDays: readonly TimeRange[]
  readonly keys: Keys
  readonly filters: RefFilters
  /** The buckets of each time grouping; the first one holds the range's start. */
  readonly buckets: ReadonlyMap<TimeGrouping, readonly Bucket[]>
  /** Bounds of all buckets, UTC ms, ascending: between two of them no bucket begins. */
  readonly cellsMs: readonly number[]
  /** Whether nothing can be in the report, so that there is nothing to ask for. */
  readonly matchesNothing: boolean
}

/**
 * The keys that group the rows; `cell`: time between bucket bounds, `machine`: also by the set of groups of the
 * machine.
 */
export interface Keys extends Readonly<Record<Exclude<KeyName, 'machine'>, boolean>> {
  readonly machine: 'no' | 'set' | 'yes'
  /** Set of groups of each machine by ref, if rows are grouped by it. */
  readonly machineGroupSets: ReadonlyMap<number, number>
}

/** Pure: the plan that all reports have in common. No documents of days are read. */
export function planReport(request: ReportRequest, view: CompanyView): ReportPlan {
  const { groupBy } = request
  const { calendar, nowMs } = view
  const range = clampRange(request.range, { calendar, nowMs, byHour: groupBy.includes('hour') })
  const buckets = bucketsOf(groupBy, calendar, range)
  const filters = refFilters(request.filters, view)
  return {
    companyRef: view.company.ref,
    range,
    readRange: range,
    shopDays: [],
    keys: keysOf(groupBy, view),
    filters,
    buckets,
    cellsMs: cellsOf([...buckets.values()]),
    matchesNothing: range.startMs >= range.endMs || keepsNothing(Object.values(filters)),
  }
}

/** Names of the keys that tell the rows of a plan apart, in the order of the answer. */
export function keyNames({ keys }: Pick<ReportPlan, 'keys'>): readonly KeyName[] {
  return allKeys.filter(name => (name === 'machine' ? keys.machine !== 'no' : keys[name]))
}

/** Shop days that lie wholly in the range, ascending. */
export function shopDaysIn(range: TimeRange, calendar: Calendar): readonly TimeRange[] {
  const { startMs, endMs } = range
  const days = startMs < endMs ? calendar.bucketsOf('day', startMs, endMs) : []
  return days.filter(day => day.startMs >= startMs && day.endMs <= endMs)
}

function keysOf(groupBy: readonly GroupingName[], view: CompanyView): Keys {
  const by = (name: GroupingName) => groupBy.includes(name)
  const machine = by('machine') ? 'yes' : by('machineGroup') ? 'set' : 'no'
  return {
    cell: groupBy.some(isTimeGrouping),
    machine,
    shift: by('shift'),
    run: by('jobOperationRun'),
    operation: by('jobOperation'),
    operators: by('operator'),
    reason: by('reason'),
    state: by('state'),
    nativeCode: by('nativeCode'),
    machineGroupSets: machine === 'set' ? machineGroupSetsOf(view) : new Map(),
  }
}

/** Machines that are in the same groups are in one set. */
function machineGroupSetsOf({ machines }: CompanyView): ReadonlyMap<number, number> {
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

function bucketsOf(groupBy: readonly GroupingName[], calendar: Calendar, { startMs, endMs }: TimeRange) {
  const units = groupBy.filter(isTimeGrouping)
  return new Map(units.map(unit => [unit, startMs < endMs ? calendar.bucketsOf(unit, startMs, endMs) : []]))
}

function cellsOf(buckets: readonly (readonly Bucket[])[]): readonly number[] {
  return [...new Set(buckets.flatMap(list => list.map(({ startMs }) => startMs)))].sort((a, b) => a - b)
}
