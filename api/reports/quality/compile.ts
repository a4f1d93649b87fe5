import { array, int32, int64, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { partStates } from '../../../clickhouse/tables/documents.ts'
import { type Provisional, pieceConditions, slotMs } from '../sql.ts'
import { keyColumns, overDocuments } from '../events/sql.ts'
import type { QualityPlan } from './plan.ts'

/**
 * Pure: the same plan is the same SQL. One row per combination of keys, over the adjustments in the range that reject parts:
 * [k_machine, k_reason, k_cell, k_shift, k_run, rejects, records].
 */
export function compileQuality(plan: QualityPlan, provisional: Provisional | null): Sql {
  const { company, range, filters, byReason, reasons } = plan
  const scope = { company, range, machines: filters.machines }
  const conditions = [
    sql`rejects != 0`,
    sql`at_ms >= ${int64(range.startMs)}`,
    sql`at_ms < ${int64(range.endMs)}`,
    ...pieceConditions(filters),
    ...(reasons ? [sql`adjustment_type IN ${array(int32, reasons)}`] : []),
  ]
  const unfold = [
    sql`adjustment_shift, adjustment_run, adjustment_at, adjustment_cell, adjustment_type, adjustment_scrap, adjustment_nonconform`,
  ]
  const adjustments = overDocuments(
    partStates,
    scope,
    provisional,
    { unfold, where: conditions },
    rows => sql`
  SELECT adjustment_shift AS shift, adjustment_run AS run, ${slotMs} + adjustment_at AS at_ms,
    toUnixTimestamp(slot) + intDiv(adjustment_cell, 1000) AS at, ${keyColumns(plan, ['machine', 'cell', 'shift', 'run'])},
    ${byReason ? sql`adjustment_type` : sql`toInt32(0)`} AS k_reason, adjustment_scrap + adjustment_nonconform AS rejects
  ${rows}`,
  )
  return sql`
SELECT k_machine, k_reason, k_cell, k_shift, k_run, sum(rejects) AS rejected, count() AS records
FROM (${adjustments})
GROUP BY k_machine, k_reason, k_cell, k_shift, k_run`
}
