import { type Sql, sql, str } from '../../../clickhouse/sql/sql.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { records } from '../../../clickhouse/tables/records.ts'
import type { RecordKind } from '../../../schema/records/record-kinds.ts'
import type { Entity } from './entity.ts'
import type { QueryScope } from './scope.ts'

/** Condition of record tables: the record is not deleted. */
export const isThere = sql`deleted = 0`

/** The records of a kind, as JSON. */
export function recordsOf(kind: RecordKind): Entity['source'] {
  return ({ companyId }, where) =>
    from(records, companyId, { final: true, where: [sql`kind = ${str(kind)}`, isThere, ...where] })
}

/** Reads a SELECT as a subquery. */
export function fromSelect(select: Sql, where: readonly Sql[]): Sql {
  return sql`FROM (${select}) WHERE ${allOf(where)}`
}

/** All conditions hold. */
function allOf(where: readonly Sql[]): Sql {
  return where.reduce((all, each) => sql`${all} AND ${each}`, sql`1`)
}

/** A text in a record's JSON. */
export function textIn(path: Sql): Sql {
  return sql`JSONExtractString(json, ${path})`
}

/** A text in a record's JSON; NULL if it is null or missing. */
export function textOrNullIn(path: Sql): Sql {
  return sql`JSONExtract(json, ${path}, 'Nullable(String)')`
}

/** A number in a record's JSON; NULL if it is null or missing. */
export function numberIn(path: Sql): Sql {
  return sql`JSONExtract(json, ${path}, 'Nullable(Float64)')`
}

/** An instant in a record's JSON, UTC ms; NULL if it is null. */
export function instantIn(path: Sql): Sql {
  return sql`toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(${textIn(path)}, 3, 'UTC'))`
}

/** A UUID derived from texts: the same texts give the same UUID. */
export function uuidFrom(scope: QueryScope, ...texts: readonly Sql[]): Sql {
  const joined = texts.reduce((all, each) => sql`${all}, '/', ${each}`, sql`${str(scope.companyId)}`)
  return sql`toString(reinterpretAsUUID(MD5(concat(${joined}))))`
}
