import { array, int32, int64, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { type Carried, whereAll, pieceConditions, slotMs } from '../sql.ts'
import { keyColumns, overDocuments } from '../counted/sql.ts'
import type { QualityPlan } from './plan.ts'

/**
 * Pure: the same plan is the same SQL. One row per combination of keys, over the adjustments in the range that reject parts:
 * [k_machine, k_reason, k_cell, k_shift, k_run, rejects, records].
 */
export function compileQuality(plan: QualityPlan, carried: Carried | null): Sql {
  const { company, range, filters, byReason, reasons } = plan
  const scope = { company, range, machines: filters.machines }
  const conditions = [
    sql`rejects != 0`,
    sql`at_ms >= ${int64(range.startMs)}`,
    sql`at_ms < ${int64(range.endMs)}`,
    ...pieceConditions(filters),
    ...(reasons ? [sql`q_type IN ${array(int32, reasons)}`] : []),
  ]
  const adjustments = overDocuments(
    'part_states',
    scope,
    carried,
    (from, rows) => sql`
  SELECT q_shift AS shift, q_run AS run, ${slotMs} + q_at AS at_ms,
    toUnixTimestamp(slot) + intDiv(q_cell, 1000) AS at, ${keyColumns(plan, ['machine', 'cell', 'shift', 'run'])},
    ${byReason ? sql`q_type` : sql`toInt32(0)`} AS k_reason, q_scrap + q_nonconform AS rejects
  FROM ${from}
  ARRAY JOIN q_shift, q_run, q_at, q_cell, q_type, q_scrap, q_nonconform
  ${whereAll([...rows, ...conditions])}`,
  )
  return sql`
SELECT k_machine, k_reason, k_cell, k_shift, k_run, sum(rejects) AS rejected, count() AS records
FROM (${adjustments})
GROUP BY k_machine, k_reason, k_cell, k_shift, k_run`
}
