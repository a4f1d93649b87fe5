import { runSync, type Steps } from '../shared/async/steps.ts'
import type { JsonSchema } from './types.ts'

/** Properties of objects that their schema does not name. */
export type UnknownProperties = 'kept' | 'left out'

/**
 * Converts the scalars of a value to the types of the schema where nothing is lost: numbers and booleans to texts,
 * texts of numbers to numbers, `"true"` and `"false"` to booleans. All else stays as it is, so that a check finds the
 * fault.
 */
export function coerced(value: unknown, schema: JsonSchema): unknown {
  return runSync(coercing(value, schema, 'kept'))
}

/** As `coerced`, in steps; may leave out what the schema does not name. */
export function* coercing(value: unknown, schema: JsonSchema, unknown: UnknownProperties): Steps<unknown> {
  const fitting = branchFor(value, schema)
  if (fitting === null) return value
  if (Array.isArray(value))
    return isObject(fitting['items']) ? yield* withItems(value, fitting['items'], unknown) : value
  if (!isObject(value)) return scalar(value, typesOf(fitting))
  return isObject(fitting['properties']) ? yield* withProperties(value, fitting['properties'], unknown) : value
}

/**
 * The branch of a schema that a value belongs to: an array or object to the first of its kind, a scalar to all of them;
 * null: there is no branch for it.
 */
function branchFor(value: unknown, schema: JsonSchema): JsonSchema | null {
  if (!Array.isArray(schema['anyOf'])) return schema
  const branches = schema['anyOf'].filter(isObject)
  const kind = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : null
  if (kind === null) return { type: branches.flatMap(typesOf) }
  return branches.find(each => typesOf(each).includes(kind)) ?? null
}

function* withItems(values: readonly unknown[], items: JsonSchema, unknown: UnknownProperties): Steps<unknown> {
  const result: unknown[] = []
  for (const each of values) {
    result.push(yield* coercing(each, items, unknown))
    yield
  }
  return result
}

function* withProperties(value: JsonSchema, properties: JsonSchema, unknown: UnknownProperties): Steps<unknown> {
  const entries: (readonly [string, unknown])[] = unknown === 'kept' ? Object.entries(value) : []
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue
    const given = value[name]
    entries.push([name, isObject(property) ? yield* coercing(given, property, unknown) : given])
  }
  return Object.fromEntries(entries)
}

function scalar(value: unknown, types: readonly string[]): unknown {
  if (typeof value === 'string') {
    if (types.includes('string')) return value
    if (types.includes('number') || types.includes('integer')) return numberOf(value) ?? value
    return types.includes('boolean') ? (booleans.get(value.toLowerCase()) ?? value) : value
  }
  if (!types.includes('string') || types.includes(typeof value)) return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && !types.includes('integer') && isExact(value) ? String(value) : value
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** Reads the number that a text writes; null: it is not a number, or has more digits than a number keeps. */
function numberOf(text: string): number | null {
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) || text.replace(/[eE].*$|\D/g, '').length > 15) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** Whether the number is exact: JSON may have rounded a larger integer. */
function isExact(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : []
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
