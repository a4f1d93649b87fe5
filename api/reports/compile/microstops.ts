import { array, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { Microstops } from '../plan/microstops.ts'

/** Whether a record of the column `machine` is counted by its whole length in ms, independent of range and filters. */
export function isLong(microstops: Microstops, lengthMs: Sql): Sql {
  if (microstops.size === 0) return sql`1`
  const machines = array(uint32, [...microstops.keys()])
  const shortest = array(uint32, [...microstops.values()])
  return sql`${lengthMs} >= transform(machine, ${machines}, ${shortest}, toUInt32(0))`
}
