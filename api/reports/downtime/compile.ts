import { array, int32, int64, type Sql, sql, uint32 } from '../../../clickhouse/sql.ts'
import type { Carried } from '../compile.ts'
import { every, keyColumns, overDocuments, pieceConditions, slotMs, where } from '../record-sql.ts'
import { type DowntimePlan, needsWholeRecords } from './plan.ts'

/**
 * Pure: the same plan is the same SQL. One row per combination of machine, reason and set of places that records lie in:
 * [k_machine, k_reason, parts: (cell, shift, run) of each place, lengths: ms in each, records].
 */
export function compileDowntime(plan: DowntimePlan, carried: Carried | null): Sql {
  return needsWholeRecords(plan) ? byRecord(plan, carried) : byPiece(plan, carried)
}

/** Records that lie in the same places are counted together, so that each can be counted once in every group that has one of them. */
function byRecord(plan: DowntimePlan, carried: Carried | null): Sql {
  return sql`
SELECT k_machine, k_reason, places.1 AS parts, sumForEach(places.2) AS lengths, sum(counted) AS records
FROM (
  SELECT ${keyColumns(plan, ['machine'])}, any(reason_key) AS k_reason,
    sumMap([(k_cell, k_shift, k_run)], [ms]) AS places, ${isCounted(plan)} AS counted
  FROM (${pieces(plan, carried)})
  GROUP BY machine, record
)
WHERE notEmpty(places.1)
GROUP BY k_machine, k_reason, parts`
}

/** Where nothing but what holds for the whole record tells rows apart. */
function byPiece(plan: DowntimePlan, carried: Carried | null): Sql {
  return sql`
SELECT ${keyColumns(plan, ['machine'])}, reason_key AS k_reason, [(k_cell, k_shift, k_run)] AS parts,
  [sum(ms)] AS lengths, sum(is_first) AS records
FROM (${pieces(plan, carried)})
WHERE ms > 0
GROUP BY k_machine, k_reason, k_cell, k_shift, k_run`
}

/** Pieces of records with their ms that count; `is_first`: of the record's pieces in the range. */
function pieces(plan: DowntimePlan, carried: Carried | null): Sql {
  const { company, range, readRange, filters, nowMs, reasons, byReason } = plan
  const scope = { company, range: readRange, machines: filters.machines }
  const conditions = [...pieceConditions(filters), ...(reasons ? [sql`d_reason IN ${array(int32, reasons)}`] : [])]
  const [startMs, endMs] = [int64(range.startMs), int64(range.endMs)]
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
    began = greatest(record, ${startMs}) AS is_first
  FROM ${from}
  ARRAY JOIN d_record, d_shift, d_run, d_cell, d_reason, d_start, d_end
  ${where(rows)}`,
  )
}

/** Whether a record is long enough: by its whole length, whatever the range and the filters. */
function isCounted({ microstops }: DowntimePlan): Sql {
  if (microstops.size === 0) return sql`1`
  const machines = array(uint32, [...microstops.keys()])
  const lengths = array(uint32, [...microstops.values()])
  return sql`max(ended) - record >= transform(machine, ${machines}, ${lengths}, toUInt32(0))`
}
