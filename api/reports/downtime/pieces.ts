import { array, empty, ident, int64, join, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { overDocuments } from '../counted/sql.ts'
import { gapsOf } from '../range.ts'
import { type Carried, rowsOfDays, slotMs, unionAll, whereAll } from '../sql.ts'
import { type DowntimePlan, needsWholeRecords } from './plan.ts'

/**
 * Down time of machines at places, as far as it is in the range: [machine, at, shift, run, reason, ms, records], `records` being how
 * many of them are counted here, and not by `piecesOfRecords`.
 */
export function piecesOfTime(plan: DowntimePlan, carried: Carried | null): Sql {
  const isWhole = needsWholeRecords(plan)
  const counted = isWhole ? sql`is_whole AND ${isLong(plan, sql`ended - record`)}` : sql`is_first`
  const ofHours = gapsOf(plan.range, plan.days).map(
    gap => sql`
  SELECT machine, at, shift, run, reason, ms, toUInt64(${counted}) AS records
  FROM (${hourPieces(plan, gap, carried)})
  WHERE ms > 0`,
  )
  return join([...(plan.days.length > 0 ? [timeOfDays(plan, isWhole)] : []), ...ofHours], unionAll)
}

/**
 * Pieces of records that may lie in several documents or places: [machine, at, shift, run, reason, record, ended, is_in]. Where
 * lengths matter, those after the range too: `is_in` tells which ones have time in it.
 */
export function piecesOfRecords(plan: DowntimePlan, carried: Carried | null): Sql {
  const ofHours = gapsOf(plan.readRange, plan.days).map(
    gap => sql`
  SELECT machine, at, shift, run, reason, record, ended, ms > 0 AS is_in
  FROM (${hourPieces(plan, gap, carried)})
  WHERE NOT is_whole`,
  )
  return join([...(plan.days.length > 0 ? [recordsOfDays(plan)] : []), ...ofHours], unionAll)
}

/** Of day documents. Records as a whole: those within a shift and run; else those that begin, and on the range's first day those that go on. */
function timeOfDays(plan: DowntimePlan, isWhole: boolean): Sql {
  const atStart = sql`start_ms = ${int64(plan.range.startMs)}`
  const [arrays, records] = !isWhole
    ? [sql`r_records, r_carried`, sql`toUInt64(r_records + if(${atStart}, r_carried, 0))`]
    : plan.microstops.size === 0
      ? [sql`r_within`, sql`toUInt64(r_within)`]
      : [sql`r_lengths`, sql`toUInt64(arrayCount(length_ms -> ${isLong(plan, sql`length_ms`)}, r_lengths))`]
  const { unfolded, columns } = placeColumns(plan, 'r')
  return sql`
  SELECT machine, ${dayStart} AS at, ${columns}, toUInt64(r_ms) AS ms, ${records} AS records
  FROM days FINAL ARRAY JOIN ${unfolded} r_ms, ${arrays}
  ${whereAll(rowsOfPlan(plan))}`
}

function recordsOfDays(plan: DowntimePlan): Sql {
  const { unfolded, columns } = placeColumns(plan, 'x')
  return sql`
  SELECT machine, ${dayStart} AS at, ${columns}, x_record AS record, start_ms + x_end AS ended, 1 AS is_in
  FROM days FINAL ARRAY JOIN ${unfolded} x_record, x_end
  ${whereAll(rowsOfPlan(plan))}`
}

/** Columns shift, run and reason, of the arrays of a prefix; 0 where nobody asks, as the engine reads and unfolds all that it is given. */
function placeColumns(plan: DowntimePlan, prefix: 'r' | 'x' | 'd'): { readonly unfolded: Sql; readonly columns: Sql } {
  const { keys, filters, byReason, reasons } = plan
  const isAsked = {
    shift: keys.shift || filters.shifts !== null,
    run: keys.operation || filters.runs !== null,
    reason: byReason || reasons !== null,
  }
  const names = ['shift', 'run', 'reason'] as const
  const zero = { shift: sql`toUInt32(0)`, run: sql`toUInt32(0)`, reason: sql`toInt32(0)` }
  return {
    unfolded: join(
      names.filter(name => isAsked[name]).map(name => sql`${ident(`${prefix}_${name}`)}, `),
      empty,
    ),
    columns: join(names.map(name => sql`${isAsked[name] ? ident(`${prefix}_${name}`) : zero[name]} AS ${ident(name)}`)),
  }
}

const dayStart = sql`toUInt32(intDiv(start_ms, 1000))`

function rowsOfPlan({ company, filters, days }: DowntimePlan): readonly Sql[] {
  return rowsOfDays({ company, machines: filters.machines }, days)
}

/**
 * Pieces of the documents of hours that touch the gap, with their ms in it, if it is in the range. `is_first`: of the record's pieces in the
 * range; `is_whole`: the record's only one.
 */
function hourPieces(plan: DowntimePlan, gap: TimeRange, carried: Carried | null): Sql {
  const { company, range, filters, nowMs } = plan
  const { unfolded, columns } = placeColumns(plan, 'd')
  const startMs = sql`${int64(Math.max(gap.startMs, range.startMs))}`
  const endMs = sql`${int64(Math.min(gap.endMs, range.endMs))}`
  return overDocuments(
    'hours',
    { company, range: gap, machines: filters.machines },
    carried,
    (from, rows) => sql`
    SELECT machine, d_record AS record, ${columns},
      toUInt32(toUnixTimestamp(slot) + intDiv(d_cell, 1000)) AS at,
      greatest(${slotMs} + d_start, ${startMs}) AS began, least(${slotMs} + d_end, ${int64(nowMs)}) AS ended,
      toUInt64(greatest(least(ended, ${endMs}) - began, 0)) AS ms,
      greatest(${slotMs} + d_start, ${int64(range.startMs)}) = greatest(record, ${int64(range.startMs)}) AS is_first,
      d_over AND record = ${slotMs} + d_start AS is_whole
    FROM ${from}
    ARRAY JOIN ${unfolded} d_record, d_cell, d_start, d_end, ${isOver} AS d_over
    ${whereAll(rows)}`,
  )
}

/** Whether no further piece of the record can follow: neither the next one, nor one in the next hour. */
const isOver = sql`arrayMap((record, next, end) -> record != next AND end < ${uint32(hourMs)},
      d_record, arrayResize(arrayPopFront(d_record), length(d_record)), d_end)`

/** Whether a record of that many ms is counted: its whole length decides, whatever the range and the filters. */
export function isLong({ microstops }: DowntimePlan, lengthMs: Sql): Sql {
  if (microstops.size === 0) return sql`1`
  const machines = array(uint32, [...microstops.keys()])
  const shortest = array(uint32, [...microstops.values()])
  return sql`${lengthMs} >= transform(machine, ${machines}, ${shortest}, toUInt32(0))`
}
