import { array, empty, int32, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { whereAll } from '../../../clickhouse/tables/from.ts'
import type { KeyName } from '../query/columns.ts'
import { type DowntimePlan, needsWholeRecords } from '../plan/downtime.ts'
import { keyNames } from '../plan/plan.ts'
import type { Sources } from '../sources/sources.ts'
import { pieceConditions, unionAll } from './documents.ts'
import { isLong, piecesOfRecords, piecesOfTime } from './downtime-pieces.ts'
import { lookUpRuns } from './job-run-lookup.ts'
import { groupedBy, keyColumn, keyColumns } from './keys.ts'
import { type Query, resultColumns } from '../query/columns.ts'

/**
 * Pure: the same plan is the same SQL. Columns: the keys; further places of the same records, as triples of cell, shift
 * and operation; ms; and records. A row with further places has 0 ms.
 */
export function compileDowntime(plan: DowntimePlan, sources: Sources): Query {
  const ofTime = time(plan, sources)
  return {
    sql: needsWholeRecords(plan) ? join([ofTime, records(plan, sources)], unionAll) : ofTime,
    columns: resultColumns(keyNames(plan), 'others', 'down_ms', 'counted'),
  }
}

/** One row per combination of keys, with its ms and the records that `piecesOfTime` counts. */
function time(plan: DowntimePlan, sources: Sources): Sql {
  const keys = keyColumns(plan)
  const sums = sql`emptyArrayUInt32() AS others, toFloat64(sum(ms)) AS down_ms, toFloat64(sum(record_count)) AS counted`
  return sql`${withOperations(plan)}
SELECT ${join([...keys, sums])}
FROM (${piecesOfTime(plan, sources)})
${whereAll(conditions(plan))}
${groupedBy(keyNames(plan).map(keyColumn))}`
}

/**
 * Puts records together from their pieces. Records that lie in the same places share a row, so that each counts once in
 * every group that has one of these places.
 */
function records(plan: DowntimePlan, sources: Sources): Sql {
  const names = keyNames(plan)
  const own = names.filter(name => !isPlaceKey(name)).map(keyColumn)
  const first = names.map(name =>
    isPlaceKey(name) ? sql`${inPlace[name](sql`lies_in[1]`)} AS ${keyColumn(name)}` : keyColumn(name),
  )
  const triple = join(placeKeys.map(name => inPlace[name](sql`place`)))
  const counts = join([sql`is_in`, ...conditions(plan)], sql` AND `)
  const lies = sql`arraySort(arrayDistinct(groupArrayIf(${placeOf(plan)}, counts))) AS lies_in`
  return sql`
SELECT ${join([...first, sql`arrayFlatten(arrayMap(place -> [${triple}], arrayPopFront(lies_in))) AS others`])},
  toFloat64(0) AS down_ms, toFloat64(count()) AS counted
FROM (
  SELECT ${join([...own.map(key => sql`any(${key}) AS ${key}`), lies])}
  FROM (${withOperations(plan)}
    SELECT ${join([sql`machine, record, ended`, ...keyColumns(plan), sql`${counts} AS counts`])}
    FROM (${piecesOfRecords(plan, sources)}))
  GROUP BY machine, record
  HAVING notEmpty(lies_in) AND ${isLong(plan, sql`max(ended) - record`)})
${groupedBy([...own, sql`lies_in`])}`
}

const placeKeys = ['cell', 'shift', 'operation'] as const
type PlaceKey = (typeof placeKeys)[number]

function isPlaceKey(name: KeyName): name is PlaceKey {
  return placeKeys.some(key => key === name)
}

/** A place as one number: lists of numbers are made in a third of the time of lists of tuples. */
function placeOf({ keys }: DowntimePlan): Sql {
  const of = (name: PlaceKey) => sql`toUInt128(${keys[name] ? keyColumn(name) : sql`0`})`
  return sql`bitOr(bitOr(bitShiftLeft(${of('cell')}, 64), bitShiftLeft(${of('shift')}, 32)), ${of('operation')})`
}

const inPlace: Readonly<Record<PlaceKey, (place: Sql) => Sql>> = {
  cell: place => sql`toUInt32(bitShiftRight(${place}, 64))`,
  shift: place => sql`toUInt32(bitAnd(bitShiftRight(${place}, 32), 0xffffffff))`,
  operation: place => sql`toUInt32(bitAnd(${place}, 0xffffffff))`,
}

/** Looks up the job operation of each piece's run, where it is a key. */
function withOperations(plan: DowntimePlan): Sql {
  if (!plan.keys.operation) return empty
  return sql`
WITH ${join(lookUpRuns(['operation'], plan))}`
}

function conditions({ filters, reasons }: DowntimePlan): readonly Sql[] {
  return [...pieceConditions(filters), ...(reasons ? [sql`reason IN ${array(int32, reasons)}`] : [])]
}
