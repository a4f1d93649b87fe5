import type { Bucket, Calendar, TimeRange } from '../../../processors/calendar/types.ts'
import {
  type GroupingName,
  isTimeGrouping,
  type TimeGrouping,
  absentId,
  alarmStates,
  maxHourDates,
} from '../../../schema/groupings.ts'
import { allKeys, type KeyName } from '../query/query.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { FilterView } from '../company/job-runs.ts'
import type { ReportRequest, RequestedRange, ReportFilters } from '../request/parse.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'
import type { AlarmInstance } from '../../../schema/alarm-instance.ts'

/** The question that a report asks the store: data, without SQL. No later stage changes it. */
export interface ReportPlan {
  /** `ref` of the company. */
  readonly companyRef: CompanyRef
  readonly range: TimeRange
  /** Time whose documents are read: longer than the range where it must be known how long events last. */
  readonly readRange: TimeRange
  /** Shop days in the range that day documents may serve, ascending. */
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

/** The keys that group the rows; `cell`: time between bucket bounds, `machine`: also by its set of groups. */
interface Keys extends Readonly<Record<Exclude<KeyName, 'machine'>, boolean>> {
  readonly machine: 'no' | 'set' | 'yes'
  /** Set of groups of each machine by ref, if rows are grouped by it. */
  readonly machineGroupSets: ReadonlyMap<number, number>
}

/** Pure: the plan that all reports have in common. No documents of days are read. */
export function planReport(request: ReportRequest, view: FilterView): ReportPlan {
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
    cellsMs: [...new Set([...buckets.values()].flat().map(({ startMs }) => startMs))].sort((a, b) => a - b),
    matchesNothing: range.startMs >= range.endMs || keepsNothing(Object.values(filters)),
  }
}

/** Names of the keys of the rows of a plan, in the order of the result. */
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

/** No report begins before: the store counts seconds from 1970 on, and a week, month or quarter must not begin before that. */
const earliestMs = Date.UTC(1970, 4, 1)

/**
 * Cuts a requested range to the time that a report covers: from May 1970 to now, and with a grouping by hour at most
 * the last dates of it. A range in the future is empty, at now; a range that is too old is empty, too.
 */
export function clampRange(
  requested: RequestedRange,
  options: { readonly calendar: Calendar; readonly nowMs: number; readonly byHour: boolean },
): TimeRange {
  const { calendar, nowMs, byHour } = options
  const whole = requested.form === 'days' ? calendar.dayRange(requested.startDay, requested.endDay) : requested
  const { startMs, endMs } = clampInstants(whole, nowMs)
  if (!byHour || startMs === endMs) return { startMs, endMs }
  return { startMs: Math.max(startMs, calendar.sameLocalTimeDatesBefore(endMs, maxHourDates)), endMs }
}

/** Cuts a range to the time from May 1970 to now; what lies outside of it is empty. */
export function clampInstants({ startMs, endMs }: TimeRange, nowMs: number): TimeRange {
  const cut = (ms: number) => Math.min(Math.max(ms, earliestMs), nowMs)
  return { startMs: cut(startMs), endMs: cut(endMs) }
}

/** Counts only time with one of the refs; 0: time without a ref. null: all time. */
export interface RefFilters {
  readonly machines: readonly MachineRef[] | null
  readonly shifts: readonly number[] | null
  readonly runs: readonly number[] | null
  readonly operators: readonly number[] | null
}

/** Values that count: those in `only` (null: all), but none in `not`. */
export interface Choice<T> {
  readonly only: readonly T[] | null
  readonly not: readonly T[]
}

function refFilters(filters: ReportFilters, view: FilterView): RefFilters {
  return {
    machines: filteredMachines(filters, view),
    shifts: refs(filters.shift, id => [...view.shifts.values()].filter(shift => shift.id === id).map(({ ref }) => ref)),
    runs: refs(filters.jobOperation, id => view.runsOfOperation(id)),
    operators: refs(filters.operator, id =>
      [...view.operators.values()].filter(each => each.id === id).map(({ ref }) => ref),
    ),
  }
}

/** Whether one of the filters lets nothing through. */
export function keepsNothing(filters: readonly (readonly unknown[] | null)[]): boolean {
  return filters.some(only => only?.length === 0)
}

/** Refs of the ids; an unknown id matches nothing. */
function refs(ids: readonly string[] | undefined, of: (id: string) => readonly number[]): readonly number[] | null {
  return ids ? [...new Set(ids.flatMap(id => (id === absentId ? [0] : of(id))))] : null
}

/** Refs of the machines that match filters and rejects. */
export function machineChoice(view: CompanyView, filter: ReportFilters, reject: ReportFilters): Choice<MachineRef> {
  return { only: filteredMachines(filter, view), not: machinesOf(view, reject, 'some') }
}

/** The states that are left. */
export function statesOf(filter: ReportFilters, reject: ReportFilters): readonly AlarmInstance['level'][] {
  return alarmStates.filter(state => (filter.state?.includes(state) ?? true) && !reject.state?.includes(state))
}

function filteredMachines(filters: ReportFilters, view: CompanyView): readonly MachineRef[] | null {
  return filters.machine || filters.machineGroup ? machinesOf(view, filters, 'every') : null
}

/** Refs of the machines that meet every condition, or some, of those on machines. */
function machinesOf(
  view: CompanyView,
  { machine, machineGroup }: ReportFilters,
  rule: 'every' | 'some',
): readonly MachineRef[] {
  const ids = machine && new Set(machine.map(id => id.toLowerCase()))
  const groups = machineGroup && new Set(machineGroup)
  const refsOfMachines = view.machines.filter(({ id, machineGroupIds }) => {
    const groupIds = machineGroupIds.length > 0 ? machineGroupIds : [absentId]
    const met = [...(ids ? [ids.has(id)] : []), ...(groups ? [groupIds.some(group => groups.has(group))] : [])]
    return rule === 'every' ? met.every(Boolean) : met.some(Boolean)
  })
  return refsOfMachines.map(({ ref }) => ref)
}
