import { array, empty, int32, join, type Sql, sql, ident, int64 } from '../../../clickhouse/sql/sql.ts'
import { allOf, whereAll } from '../../../clickhouse/tables/from.ts'
import { type KeyName, type Query, resultColumns } from '../query/query.ts'
import { type DowntimePlan, needsWholeRecords } from '../plan/downtime.ts'
import { keyNames } from '../plan/plan.ts'
import type { Sources } from '../sources/sources.ts'
import { isLong } from './microstops.ts'
import { isOver } from './record-parts.ts'
import {
  unionAll,
  groupedBy,
  keyColumn,
  keyColumns,
  documentScope,
  fromDays,
  overHours,
  slotMs,
  elementConditions,
} from './select.ts'
import { lookUpRuns } from './job-run-lookup.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'

/** Pure. Columns: keys; further overlaps of the same records (cell, shift, operation); ms, 0 for these; records. */
export function compileDowntime(plan: DowntimePlan, sources: Sources): Query {
  const ofTime = time(plan, sources)
  return {
    sql: needsWholeRecords(plan) ? join([ofTime, records(plan, sources)], unionAll) : ofTime,
    columns: resultColumns(keyNames(plan), 'others', 'down_ms', 'counted'),
  }
}

/** One row per combination of keys, with its ms and the records that `elementsOfTime` counts. */
function time(plan: DowntimePlan, sources: Sources): Sql {
  const keys = keyColumns(plan)
  const sums = sql`emptyArrayUInt32() AS others, toFloat64(sum(ms)) AS down_ms, toFloat64(sum(record_count)) AS counted`
  return sql`${withOperations(plan)}
SELECT ${join([...keys, sums])}
FROM (${elementsOfTime(plan, sources)})
${whereAll(conditions(plan))}
${groupedBy(keyNames(plan).map(keyColumn))}`
}

/** Joins records from their elements. Records with equal overlaps share a row, so each counts once in every group. */
function records(plan: DowntimePlan, sources: Sources): Sql {
  const names = keyNames(plan)
  const own = names.filter(name => !isOverlapKey(name)).map(keyColumn)
  const first = names.map(name =>
    isOverlapKey(name) ? sql`${inOverlap[name](sql`overlaps[1]`)} AS ${keyColumn(name)}` : keyColumn(name),
  )
  const triple = join(overlapKeys.map(name => inOverlap[name](sql`overlap`)))
  const counts = allOf([sql`is_in`, ...conditions(plan)])
  const overlaps = sql`arraySort(arrayDistinct(groupArrayIf(${overlapOf(plan)}, counts))) AS overlaps`
  return sql`
SELECT ${join([...first, sql`arrayFlatten(arrayMap(overlap -> [${triple}], arrayPopFront(overlaps))) AS others`])},
  toFloat64(0) AS down_ms, toFloat64(count()) AS counted
FROM (
  SELECT ${join([...own.map(key => sql`any(${key}) AS ${key}`), overlaps])}
  FROM (${withOperations(plan)}
    SELECT ${join([sql`machine, record, ended`, ...keyColumns(plan), sql`${counts} AS counts`])}
    FROM (${elementsOfRecords(plan, sources)}))
  GROUP BY machine, record
  HAVING notEmpty(overlaps) AND ${isLong(plan.microstops, sql`max(ended) - record`)})
${groupedBy([...own, sql`overlaps`])}`
}

const overlapKeys = ['cell', 'shift', 'operation'] as const
type OverlapKey = (typeof overlapKeys)[number]

function isOverlapKey(name: KeyName): name is OverlapKey {
  return overlapKeys.some(key => key === name)
}

/** An overlap as one number: the engine builds arrays of numbers in a third of the time of arrays of tuples. */
function overlapOf({ keys }: DowntimePlan): Sql {
  const of = (name: OverlapKey) => sql`toUInt128(${keys[name] ? keyColumn(name) : sql`0`})`
  return sql`bitOr(bitOr(bitShiftLeft(${of('cell')}, 64), bitShiftLeft(${of('shift')}, 32)), ${of('operation')})`
}

const inOverlap: Readonly<Record<OverlapKey, (overlap: Sql) => Sql>> = {
  cell: overlap => sql`toUInt32(bitShiftRight(${overlap}, 64))`,
  shift: overlap => sql`toUInt32(bitAnd(bitShiftRight(${overlap}, 32), 0xffffffff))`,
  operation: overlap => sql`toUInt32(bitAnd(${overlap}, 0xffffffff))`,
}

/** Looks up the job operation of each element's run if it is a key. */
function withOperations(plan: DowntimePlan): Sql {
  if (!plan.keys.operation) return empty
  return sql`
WITH ${join(lookUpRuns(['operation'], plan))}`
}

function conditions({ filters, reasons }: DowntimePlan): readonly Sql[] {
  return [...elementConditions(filters), ...(reasons ? [sql`reason IN ${array(int32, reasons)}`] : [])]
}

/**
 * Downtime of machines, cut to the range: [machine, at, shift, run, reason, ms, record_count]. `record_count`: number of records that
 * are counted here; `elementsOfRecords` selects the other ones.
 */
function elementsOfTime(plan: DowntimePlan, sources: Sources): Sql {
  const isWhole = needsWholeRecords(plan)
  const counted = isWhole ? sql`is_whole AND ${isLong(plan.microstops, sql`ended - record`)}` : sql`is_first`
  const inRange = sources.whole.flatMap(part => partInRange(plan, part))
  const ofHours = inRange.map(
    range => sql`
  SELECT machine, at, shift, run, reason, ms, toUInt64(${counted}) AS record_count
  FROM (${hourElements(plan, sources, range)})
  WHERE ms > 0`,
  )
  return join([...(sources.days.length > 0 ? [timeOfDays(plan, sources, isWhole)] : []), ...ofHours], unionAll)
}

/** The part of hours that lies in the range of the plan, if any: more is read for the lengths of records. */
export function partInRange({ range }: DowntimePlan, { startMs, endMs }: TimeRange): readonly TimeRange[] {
  return startMs < range.endMs ? [{ startMs, endMs: Math.min(endMs, range.endMs) }] : []
}

/**
 * Elements of records that may be in several documents: [machine, at, shift, run, reason, record, ended, is_in]. `is_in`: the element has
 * time in the range; elements after it are needed for the lengths of records.
 */
export function elementsOfRecords(plan: DowntimePlan, sources: Sources): Sql {
  const ofHours = sources.whole.map(
    range => sql`
  SELECT machine, at, shift, run, reason, record, ended, ms > 0 AS is_in
  FROM (${hourElements(plan, sources, range)})
  WHERE NOT is_whole`,
  )
  return join([...(sources.days.length > 0 ? [recordsOfDays(plan, sources)] : []), ...ofHours], unionAll)
}

/** Downtime and records from day documents: whole records within one shift and run, or those that begin on the day. */
function timeOfDays(plan: DowntimePlan, sources: Sources, isWhole: boolean): Sql {
  const atStart = sql`start_ms = ${int64(plan.range.startMs)}`
  const [arrays, records] = !isWhole
    ? [sql`downtime_records, downtime_carried`, sql`toUInt64(downtime_records + if(${atStart}, downtime_carried, 0))`]
    : plan.microstops.size === 0
      ? [sql`downtime_within`, sql`toUInt64(downtime_within)`]
      : [
          sql`downtime_lengths_ms`,
          sql`toUInt64(arrayCount(length_ms -> ${isLong(plan.microstops, sql`length_ms`)}, downtime_lengths_ms))`,
        ]
  const { unfolded, columns } = dimensionColumns(plan, 'downtime')
  return sql`
  SELECT machine, ${dayStart} AS at, ${columns}, toUInt64(downtime_duration_ms) AS ms, ${records} AS record_count
  ${fromDays(documentScope(plan, sources), sources.days, { unfold: [...unfolded, sql`downtime_duration_ms`, arrays] })}`
}

function recordsOfDays(plan: DowntimePlan, sources: Sources): Sql {
  const { unfolded, columns } = dimensionColumns(plan, 'spanning')
  return sql`
  SELECT machine, ${dayStart} AS at, ${columns}, spanning_record_start_ms AS record, start_ms + spanning_end AS ended, 1 AS is_in
  ${fromDays(documentScope(plan, sources), sources.days, { unfold: [...unfolded, sql`spanning_record_start_ms, spanning_end`] })}`
}

/** Columns shift, run and reason of a group; 0 if unused, because the engine unfolds each array that a query names. */
function dimensionColumns(
  plan: DowntimePlan,
  group: 'downtime' | 'spanning',
): { readonly unfolded: readonly Sql[]; readonly columns: Sql } {
  const { keys, filters, reasons } = plan
  const isUsed = {
    shift: keys.shift || filters.shifts !== null,
    run: keys.operation || filters.runs !== null,
    reason: keys.reason || reasons !== null,
  }
  const names = ['shift', 'run', 'reason'] as const
  const zero = { shift: sql`toUInt32(0)`, run: sql`toUInt32(0)`, reason: sql`toInt32(0)` }
  return {
    unfolded: names.filter(name => isUsed[name]).map(name => ident(`${group}_${name}`)),
    columns: join(names.map(name => sql`${isUsed[name] ? ident(`${group}_${name}`) : zero[name]} AS ${ident(name)}`)),
  }
}

const dayStart = sql`toUInt32(intDiv(start_ms, 1000))`

/**
 * Elements of the hourly documents that `part` overlaps, with their ms in `part` and in the range. `is_first`: the element is the first
 * one of its record in the range; `is_whole`: the only one.
 */
export function hourElements(plan: DowntimePlan, sources: Sources, part: TimeRange): Sql {
  const { range, nowMs } = plan
  const { unfolded, columns } = dimensionColumns(plan, 'downtime')
  const unfold = [
    ...unfolded,
    sql`downtime_record_start_ms, downtime_cell, downtime_start, downtime_end, ${isOver} AS downtime_over`,
  ]
  const startMs = sql`${int64(Math.max(part.startMs, range.startMs))}`
  const endMs = sql`${int64(Math.min(part.endMs, range.endMs))}`
  return overHours(
    documentScope(plan, sources),
    part,
    { unfold },
    rows => sql`
    SELECT machine, downtime_record_start_ms AS record, ${columns},
      toUInt32(toUnixTimestamp(slot) + intDiv(downtime_cell, 1000)) AS at,
      greatest(${slotMs} + downtime_start, ${startMs}) AS began, least(${slotMs} + downtime_end, ${int64(nowMs)}) AS ended,
      toUInt64(greatest(least(ended, ${endMs}) - began, 0)) AS ms,
      greatest(${slotMs} + downtime_start, ${int64(range.startMs)}) = greatest(record, ${int64(range.startMs)}) AS is_first,
      downtime_over AND record = ${slotMs} + downtime_start AS is_whole
    ${rows}`,
  )
}
