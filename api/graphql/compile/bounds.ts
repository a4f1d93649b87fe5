import { type Bounds, type Entity, unbounded } from '../model/entity.ts'
import { entriesOf } from './entries.ts'

/**
 * Pure: derives, from the comparisons of a filter, limits that contain all matching rows, for the columns in
 * `boundedBy` of the entity.
 */
export function boundsOf(entity: Entity, exp: unknown): Bounds {
  return entriesOf(exp).reduce<Bounds>((bounds, [name, value]) => {
    if (name === '_and')
      return Array.isArray(value) ? value.map(each => boundsOf(entity, each)).reduce(intersectBounds, bounds) : bounds
    if (name === entity.boundedBy?.instant) return intersectBounds(bounds, { ...unbounded, fromMs: earliest(value) })
    if (name === entity.boundedBy?.text) return intersectBounds(bounds, { ...unbounded, texts: parseTexts(value) })
    return bounds
  }, unbounded)
}

function intersectBounds(a: Bounds, b: Bounds): Bounds {
  const starts = [a.fromMs, b.fromMs].filter(ms => ms !== null)
  return { ...unbounded, fromMs: starts.length > 0 ? Math.max(...starts) : null, texts: a.texts ?? b.texts }
}

function earliest(comparison: unknown): number | null {
  const starts = entriesOf(comparison).flatMap(([operator, operand]) =>
    (operator === '_gt' || operator === '_gte' || operator === '_eq') && typeof operand === 'number' ? [operand] : [],
  )
  return starts.length > 0 ? Math.max(...starts) : null
}

function parseTexts(comparison: unknown): readonly string[] | null {
  for (const [operator, operand] of entriesOf(comparison)) {
    if (operator === '_eq' && typeof operand === 'string') return [operand]
    if (operator === '_in' && Array.isArray(operand)) return operand.map(String)
  }
  return null
}
