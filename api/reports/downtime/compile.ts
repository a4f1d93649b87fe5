import { array, int32, int64, join, type Sql, sql, uint32 } from '../../../clickhouse/sql.ts'
import { hourMs } from '../../../schema/document.ts'
import { type Carried, rowsOfDays, unionAll, whereAll, pieceConditions, slotMs } from '../sql.ts'
import { gapsOf } from '../range.ts'
import { every, keyColumns, overDocuments } from '../counted/sql.ts'
import { type DowntimePlan, needsWholeRecords } from './plan.ts'

/**
 * Pure: the same plan is the same SQL. One row per combination of machine, reason and set of places that records lie in:
 * [k_machine, k_reason, parts: (cell, shift, run) of each place, lengths: ms in each, records].
 */
export function compileDowntime(plan: DowntimePlan, carried: Carried | null): Sql {
  if (needsWholeRecords(plan)) return byRecord(plan, carried)
  if (plan.days.length === 0) return byPiece(plan, carried, sql`is_first`)
  const between = gapsOf(plan.range, plan.days).map(gap => byPiece(plan, carried, sql`is_first`, sql`1`, gap))
  return join([byDay(plan), ...between], unionAll)
}

/** What days add up: a record counts on the day it began, one that goes on from before the range on the range's first. */
function byDay(plan: DowntimePlan): Sql {
  const { company, range, filters, reasons, byReason, days } = plan
  const conditions = reasons ? [sql`r_reason IN ${array(int32, reasons)}`] : []
  return sql`
SELECT ${keyColumns(plan, ['machine'])}, ${byReason ? sql`r_reason` : sql`toInt32(0)`} AS k_reason,
  [(toUInt32(0), toUInt32(0), toUInt32(0))] AS parts, [sum(toUInt64(r_ms))] AS lengths,
  sum(toUInt64(r_records + if(start_ms = ${int64(range.startMs)}, r_carried, 0))) AS records
FROM days FINAL ARRAY JOIN r_ms, r_records, r_carried, r_reason
${whereAll([...rowsOfDays({ company, machines: filters.machines }, days), ...conditions])}
GROUP BY k_machine, k_reason`
}

/**
 * Records that lie in the same places are counted together, so that each can be counted once in every group that has one of them.
 * Most records are one piece of one document and needn't be put together.
 */
function byRecord(plan: DowntimePlan, carried: Carried | null): Sql {
  return sql`
SELECT k_machine, k_reason, parts, sumForEach(lengths) AS lengths, sum(records) AS records
FROM (${byPiece(plan, carried, isCounted(plan, sql`ended`), sql`is_whole`)}${unionAll}${byPieces(plan, carried)})
GROUP BY k_machine, k_reason, parts`
}

/** Pieces, each for itself: `counted` tells which of them stand for a record. */
function byPiece(
  plan: DowntimePlan,
  carried: Carried | null,
  counted: Sql,
  which: Sql = sql`1`,
  within = plan.range,
): Sql {
  return sql`
SELECT ${keyColumns(plan, ['machine'])}, reason_key AS k_reason, [(k_cell, k_shift, k_run)] AS parts,
  [sum(ms)] AS lengths, sum(${counted}) AS records
FROM (${pieces(plan, carried, within)})
WHERE ms > 0 AND ${which}
GROUP BY k_machine, k_reason, k_cell, k_shift, k_run`
}

/** Records of several pieces. */
function byPieces(plan: DowntimePlan, carried: Carried | null): Sql {
  return sql`
SELECT ${keyColumns(plan, ['machine'])}, any(reason_key) AS k_reason,
  arrayMap(place -> (place.1, place.2, place.3),
    arraySort(groupArrayIf((k_cell, k_shift, k_run, place_ms), place_ms > 0)) AS places) AS parts,
  arrayMap(place -> place.4, places) AS lengths, toUInt64(${isCounted(plan, sql`max(place_ended)`)}) AS records
FROM (
  SELECT machine, record, reason_key, k_cell, k_shift, k_run, sum(ms) AS place_ms, max(ended) AS place_ended
  FROM (${pieces(plan, carried)})
  WHERE NOT is_whole
  GROUP BY machine, record, reason_key, k_cell, k_shift, k_run
)
GROUP BY machine, record
HAVING notEmpty(places)`
}

/**
 * Pieces of records with their ms that count, of the part of the range that they are `within`; `is_first`: of the record's pieces in
 * the range; `is_whole`: the record's only one.
 */
function pieces(plan: DowntimePlan, carried: Carried | null, within = plan.range): Sql {
  const { company, range, readRange, filters, nowMs, reasons, byReason } = plan
  const scope = { company, range: within === range ? readRange : within, machines: filters.machines }
  const conditions = [...pieceConditions(filters), ...(reasons ? [sql`d_reason IN ${array(int32, reasons)}`] : [])]
  const [startMs, endMs] = [int64(within.startMs), int64(within.endMs)]
  return overDocuments(
    'hours',
    scope,
    carried,
    (from, rows) => sql`
  SELECT machine, d_record AS record, d_shift AS shift, d_run AS run,
    toUnixTimestamp(slot) + intDiv(d_cell, 1000) AS at, ${keyColumns(plan, ['cell', 'shift', 'run'])},
    ${byReason ? sql`d_reason` : sql`toInt32(0)`} AS reason_key,
    greatest(${slotMs} + d_start, ${startMs}) AS began, least(${slotMs} + d_end, ${int64(nowMs)}) AS ended,
    if(${every(conditions)}, toUInt64(greatest(least(ended, ${endMs}) - began, 0)), 0) AS ms,
    greatest(${slotMs} + d_start, ${int64(range.startMs)}) = greatest(record, ${int64(range.startMs)}) AS is_first,
    d_over AND record = ${slotMs} + d_start AS is_whole
  FROM ${from}
  ARRAY JOIN d_record, d_shift, d_run, d_cell, d_reason, d_start, d_end, ${isOver} AS d_over
  ${whereAll(rows)}`,
  )
}

/** Whether no further piece of the record can follow: neither the next one, nor one in the next hour. */
const isOver = sql`arrayMap((record, next, end) -> record != next AND end < ${uint32(hourMs)},
    d_record, arrayResize(arrayPopFront(d_record), length(d_record)), d_end)`

/** Whether a record is long enough: by its whole length, whatever the range and the filters. */
function isCounted({ microstops }: DowntimePlan, ended: Sql): Sql {
  if (microstops.size === 0) return sql`1`
  const machines = array(uint32, [...microstops.keys()])
  const lengths = array(uint32, [...microstops.values()])
  return sql`${ended} - record >= transform(machine, ${machines}, ${lengths}, toUInt32(0))`
}
