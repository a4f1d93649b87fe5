import { type Sql, sql, str } from '../../../clickhouse/sql/sql.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { records } from '../../../clickhouse/tables/records.ts'
import type { RecordKind } from '../../../schema/records/record-kinds.ts'
import type { Entity } from './entity.ts'
import type { QueryScope } from './scope.ts'

/** Condition of tables of records: the row is no trace of a deleted one. */
export const isThere = sql`deleted = 0`

/** The records of a kind, as JSON. */
export function recordsOf(kind: RecordKind): Entity['source'] {
  return ({ companyId }, where) =>
    from(records, companyId, { final: true, where: [sql`kind = ${str(kind)}`, isThere, ...where] })
}

/** A whole SELECT, read on. */
export function fromSelect(select: Sql, where: readonly Sql[]): Sql {
  return sql`FROM (${select}) WHERE ${allOf(where)}`
}

/** All conditions hold. */
function allOf(where: readonly Sql[]): Sql {
  return where.reduce((all, each) => sql`${all} AND ${each}`, sql`1`)
}

/** A text of a record's JSON. */
export function textIn(path: Sql): Sql {
  return sql`JSONExtractString(json, ${path})`
}

/** A text of a record's JSON; NULL where it is null or missing. */
export function textOrNullIn(path: Sql): Sql {
  return sql`JSONExtract(json, ${path}, 'Nullable(String)')`
}

/** A number of a record's JSON; NULL where it is null or missing. */
export function numberIn(path: Sql): Sql {
  return sql`JSONExtract(json, ${path}, 'Nullable(Float64)')`
}

/** An instant of a record's JSON, UTC ms; NULL where it is null. */
export function instantIn(path: Sql): Sql {
  return sql`toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(${textIn(path)}, 3, 'UTC'))`
}

/** A UUID made of texts: the same texts give the same one. */
export function uuidFrom(scope: QueryScope, ...texts: readonly Sql[]): Sql {
  const joined = texts.reduce((all, each) => sql`${all}, '/', ${each}`, sql`${str(scope.companyId)}`)
  return sql`toString(reinterpretAsUUID(MD5(concat(${joined}))))`
}
