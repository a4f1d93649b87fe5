import { array, int32, int64, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { keyNames } from '../plan/plan.ts'
import type { QualityPlan } from '../plan/quality.ts'
import type { Sources } from '../sources/sources.ts'
import { documentScope, overHours, pieceConditions, slotMs, unionAll } from './documents.ts'
import { groupedBy, keyColumn, keyColumns } from './keys.ts'
import { type Query, resultColumns } from '../query/columns.ts'

/**
 * Pure: the same plan is the same SQL. One row per combination of keys, over the adjustments in the range that reject parts: the keys,
 * then rejects and records.
 */
export function compileQuality(plan: QualityPlan, sources: Sources): Query {
  const keys = keyNames(plan)
  const sums = sql`toFloat64(sum(rejects)) AS rejected, toFloat64(count()) AS record_count`
  return {
    sql: sql`
SELECT ${join([...keys.map(keyColumn), sums])}
FROM (${adjustments(plan, sources)})
${groupedBy(keys.map(keyColumn))}`,
    columns: resultColumns(keys, 'rejected', 'record_count'),
  }
}

function adjustments(plan: QualityPlan, sources: Sources): Sql {
  const { range, filters, reasons } = plan
  const where = [
    sql`rejects != 0`,
    sql`at_ms >= ${int64(range.startMs)}`,
    sql`at_ms < ${int64(range.endMs)}`,
    ...pieceConditions(filters),
    ...(reasons ? [sql`reason IN ${array(int32, reasons)}`] : []),
  ]
  const unfold = [
    sql`adjustment_shift, adjustment_run, adjustment_at, adjustment_cell, adjustment_type, adjustment_scrap, adjustment_nonconform`,
  ]
  const columns = [
    sql`adjustment_shift AS shift, adjustment_run AS run, adjustment_type AS reason, ${slotMs} + adjustment_at AS at_ms`,
    sql`toUnixTimestamp(slot) + intDiv(adjustment_cell, 1000) AS at, adjustment_scrap + adjustment_nonconform AS rejects`,
    ...keyColumns(plan),
  ]
  const selects = sources.whole.map(hours =>
    overHours(
      documentScope(plan, sources),
      hours,
      { unfold, where },
      rows => sql`
  SELECT ${join(columns)}
  ${rows}`,
    ),
  )
  return join(selects, unionAll)
}
