import { float, type Kind, nullOr, wide } from '../../../clickhouse/client/kinds.ts'
import { join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import { columnOf, type Entity } from '../model/entity.ts'
import type { QueryScope } from '../model/scope.ts'
import { compileList, type ListRequest } from './list.ts'
import { scalarHandlerOf } from './values.ts'

/** One aggregate over all rows of a list: the `count` of rows, or the `sum`, `avg`, `min` or `max` of a column. */
export type AggregateFunction =
  | { readonly of: 'count'; readonly columns: readonly string[]; readonly distinct: boolean }
  | { readonly of: 'sum' | 'avg' | 'min' | 'max'; readonly column: string }

/** The statement that computes the aggregates of a list. */
export interface CompiledAggregate {
  readonly sql: Sql
  readonly shape: Readonly<Record<string, Kind<unknown>>>
  /** Alias of the column that refers to the parent; null for a root list. */
  readonly parent: string | null
  /** Aliases of the aggregates, in the order of the request. */
  readonly aliases: readonly string[]
}

/** Pure: compiles the statement that computes aggregates of a list, for each parent separately. */
export function compileAggregate(
  request: ListRequest,
  functions: readonly AggregateFunction[],
  scope: QueryScope,
): CompiledAggregate {
  const { entity } = request
  const selected: Sql[] = []
  const shape: Record<string, Kind<unknown>> = {}
  const list = compileList(
    request,
    scope,
    select => {
      const alias = (name: string) => identifier(select.column([], name))
      for (const [i, aggregate] of functions.entries()) {
        selected.push(sql`${aggregateSql(aggregate, entity, alias)} AS ${identifier(`a${i}`)}`)
        shape[`a${i}`] = kindOf(aggregate, entity)
      }
    },
    null,
  )
  const names = functions.map((_, i) => `a${i}`)
  if (list.parent === null)
    return { sql: sql`SELECT ${join(selected)} FROM (${list.sql})`, shape, parent: null, aliases: names }
  const parent = identifier(list.parent)
  const parentKind = list.shape[list.parent]
  return {
    sql: sql`SELECT ${join([parent, ...selected])} FROM (${list.sql}) GROUP BY ${parent}`,
    shape: parentKind ? { ...shape, [list.parent]: parentKind } : shape,
    parent: list.parent,
    aliases: names,
  }
}

function aggregateSql(aggregate: AggregateFunction, entity: Entity, alias: (name: string) => Sql): Sql {
  if (aggregate.of === 'count') return sql`toInt64(${countSql(aggregate.columns.map(alias), aggregate.distinct)})`
  const value = alias(aggregate.column)
  const { cast } = scalarHandlerOf(columnOf(entity, aggregate.column).type)
  switch (aggregate.of) {
    case 'sum':
      return cast(sql`sum(${value})`)
    case 'avg':
      return sql`CAST(avg(${value}), 'Nullable(Float64)')`
    case 'min':
      return cast(sql`min(${value})`)
    case 'max':
      return cast(sql`max(${value})`)
  }
}

/**
 * SQL of a `count`. With one column, it counts the rows that have a value in that column, otherwise all rows. With
 * `distinct`, it counts the distinct values of the columns.
 */
function countSql(columns: readonly Sql[], distinct: boolean): Sql {
  const [first, ...rest] = columns
  if (!first) return sql`count()`
  if (rest.length === 0) return distinct ? sql`uniqExact(${first})` : sql`count(${first})`
  return distinct ? sql`uniqExact((${join(columns)}))` : sql`count()`
}

function kindOf(aggregate: AggregateFunction, entity: Entity): Kind<unknown> {
  if (aggregate.of === 'count') return wide
  if (aggregate.of === 'avg') return nullOr(float)
  return scalarHandlerOf(columnOf(entity, aggregate.column).type).kind
}
