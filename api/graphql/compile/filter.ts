import { join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { type Column, columnOf, type Entity, type Relation } from '../model/entity.ts'
import { entityNamed } from '../model/entities/model.ts'
import type { QueryScope } from '../model/scope.ts'
import { boundsOf } from './bounds.ts'
import { entriesOf, listOf } from './entries.ts'
import { problem } from './problem.ts'
import { requireValue, requireValues, scalarHandlerOf } from './values.ts'

/** The SQL condition of a filter on rows of an entity, and the columns that it reads. */
interface Filter {
  readonly condition: Sql
  /** The comparisons that every matching row meets, each with the name of the compared column, for the use of indexes. */
  readonly byColumn: readonly (readonly [column: string, condition: Sql])[]
  readonly needed: ReadonlySet<string>
}

/** Maximum number of nested levels of a filter; it bounds the recursion and the SQL. */
const maxDepth = 32

/**
 * Pure: compiles a `…_bool_exp` to a condition. As in SQL, a comparison with NULL is never true. Throws a
 * `GraphQLError` if the filter is nested too deeply or contains a null value.
 */
export function compileFilter(entity: Entity, exp: unknown, scope: QueryScope, depth = 0): Filter {
  if (depth > maxDepth) throw problem('depth-limit-exceeded', `Filters are nested deeper than ${maxDepth}`)
  const needed = new Set<string>()
  const nested = (inner: unknown): Sql => {
    const filter = compileFilter(entity, inner, scope, depth + 1)
    for (const name of filter.needed) needed.add(name)
    return filter.condition
  }
  const related = (relation: Relation, value: unknown): Sql => {
    needed.add(relation.own)
    const own = columnOf(entity, relation.own)
    const isIn = sql`${own.sql(scope)} IN (${relatedKeys(relation, value, scope, depth)})`
    return own.isNullable ? sql`ifNull(${isIn}, 0)` : isIn
  }
  const byColumn: (readonly [string, Sql])[] = []
  const conditions = entriesOf(exp).map(([name, value]) => {
    if (name === '_and') return allOf(listOf(value).map(nested))
    if (name === '_or') return anyOf(listOf(value).map(nested))
    if (name === '_not') return sql`NOT (${nested(value)})`
    const relation = entity.relations[name]
    if (!relation) needed.add(name)
    const condition = relation
      ? related(relation, value)
      : allOf(compileComparisons(columnOf(entity, name), value, name, scope))
    const ofStored = relation ? [] : compileStored(columnOf(entity, name), value, name, scope)
    byColumn.push([relation?.own ?? name, ofStored.length > 0 ? allOf([condition, ...ofStored]) : condition])
    return condition
  })
  return { condition: allOf(conditions), byColumn, needed }
}

/** Builds the SELECT of the column `their` of the rows of the related entity that match a filter. */
function relatedKeys({ to, their }: Relation, exp: unknown, scope: QueryScope, depth: number): Sql {
  const target = entityNamed(to)
  const { condition, needed } = compileFilter(target, exp, scope, depth + 1)
  const column = columnOf(target, their)
  const key = column.sql(scope)
  const isThere = column.isNullable ? [sql`(${key}) IS NOT NULL`] : []
  return sql`SELECT ${key} ${target.source(scope, [condition, ...isThere], new Set([...needed, their]), boundsOf(target, exp))}`
}

/** Comparisons that are never true for NULL. */
const excludingNull: ReadonlySet<string> = new Set(['_eq', '_gt', '_gte', '_lt', '_lte', '_in'])

/** Compiles conditions on the stored column that the comparisons imply. */
function compileStored(column: Column, exp: unknown, field: string, scope: QueryScope): readonly Sql[] {
  const stored = column.stored?.(scope)
  if (!stored) return []
  return entriesOf(exp).flatMap(([operator, operand]) => {
    if (operator === '_is_null') return operand === true ? [stored.ifNull] : []
    if (!excludingNull.has(operator)) return []
    return compileComparisons({ ...column, sql: () => stored.value }, { [operator]: operand }, field, scope)
  })
}

function compileComparisons(column: Column, exp: unknown, field: string, scope: QueryScope): readonly Sql[] {
  const value = column.sql(scope)
  const { bind, bindAll } = scalarHandlerOf(column.type)
  return entriesOf(exp).map(([operator, operand]) => {
    const one = () => bind(requireValue(operand, `${field}.${operator}`))
    const all = () => bindAll(requireValues(operand, `${field}.${operator}`))
    switch (operator) {
      case '_eq':
        return sql`(${value}) = ${one()}`
      case '_neq':
        return sql`(${value}) != ${one()}`
      case '_gt':
        return sql`(${value}) > ${one()}`
      case '_gte':
        return sql`(${value}) >= ${one()}`
      case '_lt':
        return sql`(${value}) < ${one()}`
      case '_lte':
        return sql`(${value}) <= ${one()}`
      case '_in':
        return sql`(${value}) IN ${all()}`
      case '_nin':
        return sql`(${value}) NOT IN ${all()}`
      case '_is_null':
        return requireValue(operand, `${field}._is_null`) === true ? sql`isNull(${value})` : sql`isNotNull(${value})`
      case '_like':
        return sql`(${value}) LIKE ${one()}`
      case '_nlike':
        return sql`(${value}) NOT LIKE ${one()}`
      case '_ilike':
        return sql`(${value}) ILIKE ${one()}`
      case '_nilike':
        return sql`(${value}) NOT ILIKE ${one()}`
      default:
        throw problem('validation-failed', `${field} has no comparison ${operator}`)
    }
  })
}

const [and, or] = [sql` AND `, sql` OR `]

function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1` : sql`(${join(conditions, and)})`
}

function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`0` : sql`(${join(conditions, or)})`
}
