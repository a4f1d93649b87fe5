import { array, empty, int32, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { keyColumns } from '../events/sql.ts'
import { lookUpRuns } from '../job-run-lookup.ts'
import { whereAll } from '../../../clickhouse/tables/from.ts'
import { type Provisional, pieceConditions, unionAll } from '../sql.ts'
import { isLong, piecesOfRecords, piecesOfTime } from './pieces.ts'
import { type DowntimePlan, needsWholeRecords } from './plan.ts'

/** Names of the columns of the answer. */
export const downtimeColumns = [
  'k_machine',
  'k_reason',
  'k_cell',
  'k_shift',
  'k_operation',
  'others',
  'down_ms',
  'counted',
] as const

/**
 * Pure: the same plan is the same SQL. Rows of numbers: [k_machine, k_reason, k_cell, k_shift, k_operation, further places of the same
 * records as triples of cell, shift and operation, ms, records]. All ms are in rows of one place.
 */
export function compileDowntime(plan: DowntimePlan, provisional: Provisional | null): Sql {
  const ofTime = time(plan, provisional)
  return needsWholeRecords(plan) ? join([ofTime, records(plan, provisional)], unionAll) : ofTime
}

/** A row per place and what tells rows apart. */
function time(plan: DowntimePlan, provisional: Provisional | null): Sql {
  return sql`${withOperations(plan)}
SELECT ${keyColumns(plan, ['machine'])}, ${reasonKey(plan)} AS k_reason, ${keyColumns(plan, places)},
  emptyArrayUInt32() AS others, toFloat64(sum(ms)) AS down_ms, toFloat64(sum(records)) AS counted
FROM (${piecesOfTime(plan, provisional)})
${whereAll(conditions(plan))}
GROUP BY k_machine, k_reason, k_cell, k_shift, k_operation`
}

/**
 * Records that are put together from their pieces, a row for all that lie in the same places: so each can be counted once in every
 * group that has one of them.
 */
function records(plan: DowntimePlan, provisional: Provisional | null): Sql {
  const counts = join([sql`is_in`, ...conditions(plan)], sql` AND `)
  return sql`
SELECT k_machine, k_reason, ${cellOf(sql`lies_in[1]`)} AS k_cell, ${shiftOf(sql`lies_in[1]`)} AS k_shift,
  ${operationOf(sql`lies_in[1]`)} AS k_operation,
  arrayFlatten(arrayMap(place -> [${cellOf(sql`place`)}, ${shiftOf(sql`place`)}, ${operationOf(sql`place`)}],
    arrayPopFront(lies_in))) AS others,
  toFloat64(0) AS down_ms, toFloat64(count()) AS counted
FROM (
  SELECT any(k_machine) AS k_machine, any(k_reason) AS k_reason,
    arraySort(arrayDistinct(groupArrayIf(${place}, counts))) AS lies_in
  FROM (${withOperations(plan)}
    SELECT machine, record, ended, ${keyColumns(plan, ['machine'])}, ${reasonKey(plan)} AS k_reason, ${keyColumns(plan, places)},
      ${counts} AS counts
    FROM (${piecesOfRecords(plan, provisional)}))
  GROUP BY machine, record
  HAVING notEmpty(lies_in) AND ${isLong(plan, sql`max(ended) - record`)})
GROUP BY k_machine, k_reason, lies_in`
}

const places = ['cell', 'shift', 'operation'] as const

/** As one number: lists of numbers are made in a third of the time of lists of tuples. */
const place = sql`bitOr(bitOr(bitShiftLeft(toUInt128(k_cell), 64), bitShiftLeft(toUInt128(k_shift), 32)), toUInt128(k_operation))`
const cellOf = (of: Sql): Sql => sql`toUInt32(bitShiftRight(${of}, 64))`
const shiftOf = (of: Sql): Sql => sql`toUInt32(bitAnd(bitShiftRight(${of}, 32), 0xffffffff))`
const operationOf = (of: Sql): Sql => sql`toUInt32(bitAnd(${of}, 0xffffffff))`

/** Which job operation a piece's run is of. */
function withOperations(plan: DowntimePlan): Sql {
  if (!plan.keys.operation) return empty
  return sql`
WITH ${join(lookUpRuns(['operation'], plan))}`
}

function reasonKey({ byReason }: DowntimePlan): Sql {
  return byReason ? sql`reason` : sql`toInt32(0)`
}

function conditions({ filters, reasons }: DowntimePlan): readonly Sql[] {
  return [...pieceConditions(filters), ...(reasons ? [sql`reason IN ${array(int32, reasons)}`] : [])]
}
