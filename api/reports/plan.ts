import { absentId, type GroupingName, isTimeGrouping, type TimeGrouping } from '../../schema/groupings.ts'
import { metrics } from '../../schema/metrics.ts'
import type { SumName } from '../../schema/sums.ts'
import type { Bucket, Calendar, TimeRange } from '../../processors/calendar/types.ts'
import type { KeyName } from './columns.ts'
import type { Plant } from './plant.ts'
import { type SplitRange, splitRange, usedRange } from './range.ts'
import type { Filters, ProductionRequest } from './request.ts'
import { sumColumns } from './sum-columns.ts'
import { mostRuns } from './look-up-runs.ts'
import { type Worth, worthColumns } from './worth-columns.ts'

/**
 * How a report is answered: one query, whose rows no instant of a machine shares with another. Groups that overlap (machine
 * groups, operators) are formed of those rows afterwards, so that every level is computed from its own time.
 */
export interface Plan {
  /** `ref` of the company. */
  readonly company: number
  readonly range: TimeRange
  /** Shop days that lie wholly in the range and are over: read from documents of days where there are any. Ascending. */
  readonly shopDays: readonly TimeRange[]
  readonly split: SplitRange
  /** Machines for which a day of `split` is read from hours all the same: their documents of that day are being made again. */
  readonly staleDays: readonly StaleDay[]
  readonly keys: Keys
  readonly filters: RefFilters
  readonly sums: readonly SumName[]
  /** Key of the first of several groupings: rows come in its order. */
  readonly firstKey: KeyName | null
  readonly worth: Worth
  /** See `look-up-runs.ts`. */
  readonly isDense: boolean
  /** The buckets of each time grouping; the first one holds the range's start. */
  readonly buckets: ReadonlyMap<TimeGrouping, readonly Bucket[]>
  /** Bounds of all buckets, UTC ms, ascending: between two of them no bucket begins. */
  readonly cellsMs: readonly number[]
  readonly plannedReasons: readonly number[]
}

export interface StaleDay {
  readonly day: TimeRange
  /** Refs. */
  readonly machines: readonly number[]
}

/** What tells rows apart. */
export interface Keys {
  /** By cell between bounds of buckets. */
  readonly cell: boolean
  /** `team`: by the set of groups that machines are in. */
  readonly machine: 'no' | 'team' | 'yes'
  readonly shift: boolean
  readonly run: boolean
  readonly operation: boolean
  readonly operators: boolean
  /** Each machine's team by ref, where rows are told apart by it. */
  readonly teams: ReadonlyMap<number, number>
}

/** Only time with one of the refs counts; 0 is time without one. null: all of it. */
export interface RefFilters {
  readonly machines: readonly number[] | null
  readonly shifts: readonly number[] | null
  readonly runs: readonly number[] | null
  readonly operators: readonly number[] | null
}

export interface Circumstances {
  readonly plant: Plant
  /** Of the company, without a schedule. */
  readonly calendar: Calendar
  readonly nowMs: number
}

/** Pure: what has to be asked of the store for the request. */
export function planProduction(request: ProductionRequest, { plant, calendar, nowMs }: Circumstances): Plan {
  const range = usedRange(request.range, { calendar, nowMs, byHour: request.groupBy.includes('hour') })
  const sums = sumsOf(request)
  const buckets = bucketsOf(request.groupBy, calendar, range)
  return {
    company: plant.company.ref,
    range,
    shopDays: request.groupBy.includes('hour') ? [] : shopDaysIn(range, calendar),
    split: splitRange(range),
    staleDays: [],
    keys: keysOf(request.groupBy, plant),
    filters: refFilters(request.filters, plant),
    sums,
    firstKey: request.groupBy.length > 1 ? keyOf(request.groupBy[0]) : null,
    worth: worthColumns(
      sums.flatMap(sum => sumColumns[sum].worth),
      plant,
    ),
    isDense: plant.lastRun <= mostRuns,
    buckets,
    cellsMs: cellsOf([...buckets.values()]),
    plannedReasons: plant.plannedReasons,
  }
}

/** Shop days that lie wholly in the range, ascending. */
export function shopDaysIn(range: TimeRange, calendar: Calendar): readonly TimeRange[] {
  const { startMs, endMs } = range
  const days = startMs < endMs ? calendar.bucketsOf('day', startMs, endMs) : []
  return days.filter(day => day.startMs >= startMs && day.endMs <= endMs)
}

/** All time is always added up: it says whether a group is there. */
function sumsOf({ metrics: names }: ProductionRequest): readonly SumName[] {
  return [...new Set<SumName>(['allMs', ...names.flatMap(name => metrics[name].needs)])]
}

function keyOf(group: GroupingName | undefined): KeyName | null {
  if (!group) return null
  return isTimeGrouping(group) ? 'cell' : (entityKeys[group] ?? null)
}

/** Operators aren't here: to order by their lists would take longer than it saves. */
const entityKeys: Readonly<Partial<Record<GroupingName, KeyName>>> = {
  machine: 'machine',
  machineGroup: 'machine',
  jobOperation: 'operation',
  jobOperationRun: 'run',
  shift: 'shift',
}

function keysOf(groupBy: readonly GroupingName[], plant: Plant): Keys {
  const byMachine = groupBy.includes('machine')
  const teams = groupBy.includes('machineGroup') && !byMachine
  return {
    cell: groupBy.some(isTimeGrouping),
    machine: byMachine ? 'yes' : teams ? 'team' : 'no',
    shift: groupBy.includes('shift'),
    run: groupBy.includes('jobOperationRun'),
    operation: groupBy.includes('jobOperation'),
    operators: groupBy.includes('operator'),
    teams: teams ? teamsOf(plant) : new Map(),
  }
}

/** Machines that are in the same groups are one team. */
export function teamsOf({ machines }: Plant): ReadonlyMap<number, number> {
  const teams = new Map<string, number>()
  return new Map(
    machines.map(({ ref, machineGroupIds }) => {
      const key = JSON.stringify(machineGroupIds.toSorted())
      const team = teams.get(key) ?? ref
      teams.set(key, team)
      return [ref, team]
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
export function refFilters(filters: Filters, plant: Plant): RefFilters {
  return {
    machines: machineRefs(filters, plant),
    shifts: refs(filters.shift, id =>
      [...plant.shifts.values()].filter(shift => shift.id === id).map(({ ref }) => ref),
    ),
    runs: refs(filters.jobOperation, id => plant.runsOfOperation(id)),
    operators: refs(filters.operator, id =>
      [...plant.operators.values()].filter(each => each.id === id).map(({ ref }) => ref),
    ),
  }
}

/** Refs of the ids; an id that nothing has keeps nothing. */
function refs(ids: readonly string[] | undefined, of: (id: string) => readonly number[]): readonly number[] | null {
  return ids ? [...new Set(ids.flatMap(id => (id === absentId ? [0] : of(id))))] : null
}

function machineRefs({ machine, machineGroup }: Filters, plant: Plant): readonly number[] | null {
  if (!machine && !machineGroup) return null
  const machines = machine && new Set(machine.map(id => id.toLowerCase()))
  const groups = machineGroup && new Set(machineGroup)
  return plant.machines
    .filter(({ id }) => !machines || machines.has(id))
    .filter(({ machineGroupIds }) => !groups || groupIds(machineGroupIds).some(id => groups.has(id)))
    .map(({ ref }) => ref)
}

/** Ids of the machine's items in a grouping by machine group. */
export function groupIds(machineGroupIds: readonly string[]): readonly string[] {
  return machineGroupIds.length > 0 ? machineGroupIds : [absentId]
}
