import type { Kind } from '../../../clickhouse/client/kinds.ts'
import { empty, join, type Sql, sql, uint64 } from '../../../clickhouse/sql/sql.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import { columnOf, type Entity } from '../model/entity.ts'
import type { QueryScope } from '../model/scope.ts'
import { boundsOf } from './bounds.ts'
import { compileFilter } from './filter.ts'
import { type Direction, orderOf } from './order.ts'
import { problem } from './problem.ts'
import { SelectBuilder } from './select.ts'
import { scalarHandlerOf, type Value } from './values.ts'

/** The parent rows of a nested list. `column`: the column of the nested list that refers to its parents. */
export interface Parents {
  readonly column: string
  /** Values of that column, each with the number of parents in the response that have it. */
  readonly occurrences: ReadonlyMap<Value, number>
}

/** A list that a query selects. */
export interface ListRequest {
  readonly entity: Entity
  /** The parsed arguments: where, order_by, limit, offset, distinct_on. */
  readonly args: Readonly<Record<string, unknown>>
  /** null: the list is a root field and has no parents. */
  readonly parents: Parents | null
}

/** The statement that reads a list. */
export interface CompiledList {
  readonly sql: Sql
  readonly shape: Readonly<Record<string, Kind<unknown>>>
  /** Alias of the column that refers to the parent; null for a root list. */
  readonly parent: string | null
}

/**
 * Pure: compiles the statement that reads a list. `choose` adds the selected columns to the SELECT; `maxRows` is the
 * LIMIT of the statement.
 */
export function compileList(
  { entity, args, parents }: ListRequest,
  scope: QueryScope,
  choose: (select: SelectBuilder) => void,
  maxRows: number | null,
): CompiledList {
  const select = new SelectBuilder(entity, scope)
  const parent = parents && select.column([], parents.column)
  choose(select)
  const distinctOn = namesOf(args['distinct_on'])
  const order = orderOf(entity, args['order_by'], distinctOn).map(({ path, column, direction }) =>
    orderTerm(select.column(path, column), direction),
  )
  const filter = compileFilter(entity, args['where'], scope)
  const ofParents = parents ? [belongsToParent(entity, parents, scope)] : []
  const bounding = [...filter.byColumn, ...ofParents.map(condition => [parents?.column ?? '', condition] as const)]
  const conditions = bounding.filter(([column]) => entity.boundedBy?.columns?.includes(column))
  const needed = new Set([...filter.needed, ...(parents ? [parents.column] : [])])
  const by = parent === null ? [] : [parent]
  const sorted = sql`ORDER BY ${join(order)}`
  const found = select.render([...ofParents, filter.condition], needed, {
    ...boundsOf(entity, args['where']),
    conditions,
  })
  const distinct = [...by, ...distinctOn.map(name => select.column([], name))]
  const rows =
    distinctOn.length === 0
      ? sql`${found} ${sorted}`
      : sql`SELECT * FROM (${found} ${sorted} LIMIT 1 BY ${identifiers(distinct)}) ${sorted}`
  const page = limitClause(args, by)
  // A SELECT can have only one LIMIT BY, and a LIMIT after LIMIT BY applies to the rows of all parents together.
  const paged = page === null ? rows : sql`${rows} ${page}`
  const bounded = maxRows === null ? paged : limitRows(paged, by.length > 0 || page === null, maxRows)
  return { sql: bounded, shape: select.shape(), parent }
}

function limitRows(rows: Sql, mayAppend: boolean, maxRows: number): Sql {
  const limit = sql`LIMIT ${uint64(maxRows + 1)}`
  return mayAppend ? sql`${rows} ${limit}` : sql`SELECT * FROM (${rows}) ${limit}`
}

/** The LIMIT clause of the arguments `limit` and `offset`, for each parent separately; null: no limit. */
function limitClause(args: Readonly<Record<string, unknown>>, by: readonly string[]): Sql | null {
  const [limit, offset] = [parseRowCount(args, 'limit'), parseRowCount(args, 'offset')]
  if (limit === null && offset === null) return null
  const max = limit ?? Number.MAX_SAFE_INTEGER
  const each = by.length > 0 ? sql` BY ${identifiers(by)}` : empty
  return sql`LIMIT ${uint64(offset ?? 0)}, ${uint64(max)}${each}`
}

/**
 * Parses the argument `limit` or `offset`; returns null if it is missing, throws a `GraphQLError` if it is negative.
 */
export function parseRowCount(args: Readonly<Record<string, unknown>>, name: 'limit' | 'offset'): number | null {
  const value = args[name] ?? null
  if (value === null) return null
  if (typeof value === 'number' && value >= 0) return value
  throw problem('validation-failed', `${name} must not be negative`)
}

function belongsToParent(entity: Entity, { column, occurrences }: Parents, scope: QueryScope): Sql {
  const { type, sql: value } = columnOf(entity, column)
  return sql`(${value(scope)}) IN ${scalarHandlerOf(type).bindAll([...occurrences.keys()])}`
}

const directions: Readonly<Record<Direction, Sql>> = {
  asc: sql`ASC NULLS LAST`,
  asc_nulls_first: sql`ASC NULLS FIRST`,
  asc_nulls_last: sql`ASC NULLS LAST`,
  desc: sql`DESC NULLS FIRST`,
  desc_nulls_first: sql`DESC NULLS FIRST`,
  desc_nulls_last: sql`DESC NULLS LAST`,
}

function orderTerm(alias: string, direction: Direction): Sql {
  return sql`${identifier(alias)} ${directions[direction]}`
}

function identifiers(names: readonly string[]): Sql {
  return join(names.map(identifier))
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
