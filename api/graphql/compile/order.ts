import type { Entity } from '../model/entity.ts'
import { columnOf } from '../model/entity.ts'
import { entityNamed } from '../model/entities/model.ts'
import { entriesOf } from './entries.ts'
import { problem } from './problem.ts'

export type Direction = 'asc' | 'asc_nulls_first' | 'asc_nulls_last' | 'desc' | 'desc_nulls_first' | 'desc_nulls_last'

/** A sort column: a column of the list, or of the row that a chain of object relations leads to. */
export interface OrderTerm {
  readonly path: readonly string[]
  readonly column: string
  readonly direction: Direction
}

const directions: ReadonlySet<string> = new Set<Direction>([
  'asc',
  'asc_nulls_first',
  'asc_nulls_last',
  'desc',
  'desc_nulls_first',
  'desc_nulls_last',
])

/**
 * Pure: the sort columns, each once: those of `order_by`, with the columns of `distinct_on` first, then the default
 * order of the entity and its key, so that the order is deterministic. Throws if `order_by` does not begin with
 * `distinct_on`.
 */
export function orderOf(entity: Entity, orderBy: unknown, distinctOn: readonly string[]): readonly OrderTerm[] {
  const requested = (Array.isArray(orderBy) ? orderBy : []).flatMap(each => termsOf(entity, each, []))
  const missing = new Set(distinctOn)
  for (const { path, column } of requested) {
    if (missing.size === 0) break
    if (path.length > 0 || !distinctOn.includes(column))
      throw problem('validation-failed', '"distinct_on" columns must match initial "order_by" columns')
    missing.delete(column)
  }
  const rising = (column: string): OrderTerm => ({ path: [], column, direction: 'asc' })
  const own = requested.length > 0 ? [] : entity.order
  const terms = [...requested, ...[...missing, ...own, ...entity.key].map(rising)]
  const seen = new Set<string>()
  return terms.filter(({ path, column }) => {
    const name = [...path, column].join('.')
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

function termsOf(entity: Entity, orderBy: unknown, path: readonly string[]): readonly OrderTerm[] {
  return entriesOf(orderBy).flatMap(([name, value]) => {
    const relation = entity.relations[name]
    if (relation) return termsOf(entityNamed(relation.to), value, [...path, name])
    columnOf(entity, name)
    return isDirection(value) ? [{ path, column: name, direction: value }] : []
  })
}

function isDirection(value: unknown): value is Direction {
  return typeof value === 'string' && directions.has(value)
}
