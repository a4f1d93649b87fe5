import { maxFirstUses, type UsedRecord, type Uses } from '../../schema/commands/uses.ts'
import { storedText, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { int32, int64, sql, str, uint32, type Sql } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { annotationsByMachine, operatorRunsByMachine, partAdjustmentsByMachine } from '../tables/record-kinds.ts'
import { jobOperations } from '../tables/records.ts'
import { fromNewestRuns } from './newest-runs.ts'

const useShape = { id: storedText, machine_id: storedText, start_ms: wide, count: wide } as const

/** Reads which records refer to a record. Rejects with a `StoreError`. */
export async function readUses(store: Store, used: UsedRecord): Promise<Uses> {
  const found = await rows(
    store,
    sql`
      SELECT id, machine_id, start_ms, toInt64(count() OVER ()) AS count FROM (${referringTo(used)})
      ORDER BY position, start_ms, id LIMIT ${uint32(maxFirstUses)}`,
    useShape,
    ofPipeline,
  )
  const first = found.map(({ id, machine_id: machineId, start_ms: startMs }) => ({ id, machineId, startMs }))
  return { count: found[0]?.count ?? 0, first }
}

/** Returns a SELECT of the records; `position`: their order before the start. */
function referringTo(used: UsedRecord): Sql {
  const columns = sql`SELECT 0 AS position, id, machine_id, start_ms`
  const where = (condition: Sql) => ({ final: true, where: [condition, sql`deleted = 0`] })
  switch (used.kind) {
    case 'downtimeReason':
      return sql`${columns} ${from(annotationsByMachine, used.companyId, where(sql`reason = ${int32(used.id)}`))}`
    case 'partAdjustmentType':
      return sql`${columns} ${from(partAdjustmentsByMachine, used.companyId, where(sql`category = ${int64(used.id)}`))}`
    case 'operator':
      return sql`${columns} ${from(operatorRunsByMachine, used.companyId, where(sql`operator_id = ${str(used.id)}`))}`
    case 'machineGroup': {
      const isIn = where(sql`has(group_ids, ${str(used.id)})`)
      const names = sql`[job_name, lot_name, operation_name, part_name]`
      const label = sql`arrayStringConcat(arrayFilter(name -> name != '', ${names}), ' / ')`
      return sql`
        SELECT ref AS position, ${label} AS id, '' AS machine_id, toInt64(0) AS start_ms
        ${from(jobOperations, used.companyId, isIn)}`
    }
    case 'jobOperation': {
      const runs = fromNewestRuns(used.companyRef, [sql`operation = ${uint32(used.ref)}`])
      return sql`SELECT run AS position, id, '' AS machine_id, start_ms ${runs}`
    }
  }
}
