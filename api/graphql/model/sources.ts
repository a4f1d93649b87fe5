import { type Sql, sql, str } from '../../../clickhouse/sql/sql.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { records } from '../../../clickhouse/tables/records.ts'
import type { RecordKind } from '../../../schema/records/record-kinds.ts'
import type { Entity } from './entity.ts'
import type { QueryScope } from './scope.ts'

/** Condition of record tables: the record is not deleted. */
export const isNotDeleted = sql`deleted = 0`

/** Returns the source of the records of a kind: columns id, ref and json. */
export function recordsOf(kind: RecordKind): Entity['source'] {
  return ({ companyId }, where) =>
    from(records, companyId, { final: true, where: [sql`kind = ${str(kind)}`, isNotDeleted, ...where] })
}

/** FROM and WHERE that read a SELECT as a subquery. */
export function fromSelect(select: Sql, where: readonly Sql[]): Sql {
  return sql`FROM (${select}) WHERE ${allOf(where)}`
}

/** Joins conditions by AND. */
function allOf(where: readonly Sql[]): Sql {
  return where.reduce((all, each) => sql`${all} AND ${each}`, sql`1`)
}

/** SQL of a text in a record's JSON; '' if it is null or missing. */
export function textIn(path: Sql): Sql {
  return sql`JSONExtractString(json, ${path})`
}

/** SQL of a text in a record's JSON; NULL if it is null or missing. */
export function textOrNullIn(path: Sql): Sql {
  return sql`JSONExtract(json, ${path}, 'Nullable(String)')`
}

/** SQL of a number in a record's JSON; NULL if it is null or missing. */
export function numberIn(path: Sql): Sql {
  return sql`JSONExtract(json, ${path}, 'Nullable(Float64)')`
}

/** SQL of an instant in a record's JSON, UTC ms; NULL if it is null. */
export function instantIn(path: Sql): Sql {
  return sql`toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(${textIn(path)}, 3, 'UTC'))`
}

/** SQL of a UUID that is derived from the company and texts: equal texts result in the same UUID. */
export function derivedUuid(scope: QueryScope, ...texts: readonly Sql[]): Sql {
  const joined = texts.reduce((all, each) => sql`${all}, '/', ${each}`, sql`${str(scope.companyId)}`)
  return sql`toString(reinterpretAsUUID(MD5(concat(${joined}))))`
}
