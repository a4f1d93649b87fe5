import type { Store } from '../../clickhouse/client/store.ts'
import { int64, second, type Sql, sql, str, uint32 } from '../../clickhouse/sql/sql.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { company } from './plant.ts'

/** Reads the rows of the query of three levels by hand-written SQL: a statement for each list, concurrently. */
export async function byHand(store: Store, nowMs: number): Promise<readonly unknown[]> {
  const slotMs = Math.floor(nowMs / hourMs) * hourMs
  const [id, ref] = [str(company.id), uint32(company.ref)]
  const sinceUs = int64((nowMs - dayMs) * 1000)
  const statements: readonly Sql[] = [
    sql`SELECT ref, JSONExtractString(json, 'name') FROM records FINAL WHERE company = ${id} AND kind = 'machine' AND deleted = 0 ORDER BY ref`,
    sql`
      SELECT l.machine, l.key, l.value, s.since FROM latest_values AS l FINAL LEFT ANY JOIN (
        SELECT machine, argMax(value, at_us) AS now, maxIf(at_us, value != 'ACTIVE') AS since FROM deciding_samples
        WHERE company = ${ref} AND type = 'EXECUTION' AND at_us >= ${sinceUs} GROUP BY machine) AS s ON l.machine = s.machine
      WHERE l.company = ${ref} AND l.key = 'execution'`,
    sql`
      SELECT machine, argMax(segment_in_cycle, slot)[-1], groupArray(segment_start) FROM hours FINAL
      WHERE company = ${ref} AND slot >= ${second(slotMs - dayMs)} GROUP BY machine`,
    sql`
      SELECT machine, code, message, start FROM hours FINAL
      ARRAY JOIN alarm_code AS code, alarm_message AS message, alarm_start_ms AS start, alarm_end_ms AS end
      WHERE company = ${ref} AND slot = ${second(slotMs)} AND end > ${int64(nowMs)}`,
    sql`
      SELECT a.machine_id, a.start_ms, r.json FROM annotations AS a FINAL
      LEFT ANY JOIN (SELECT toInt32(id) AS id, json FROM records FINAL WHERE company = ${id} AND kind = 'downtimeReason') AS r ON a.reason = r.id
      WHERE a.company = ${id} AND a.end_ms IS NULL AND a.deleted = 0`,
    sql`
      SELECT m.machine_id, m.run, m.start_ms, o.json FROM machine_runs AS m FINAL
      LEFT ANY JOIN (SELECT id, json FROM records FINAL WHERE company = ${id} AND kind = 'jobOperation') AS o ON m.operation_id = o.id
      WHERE m.company = ${id} AND m.end_ms IS NULL AND m.deleted = 0`,
  ]
  return Promise.all(statements.map(statement => store.columns(statement)))
}
