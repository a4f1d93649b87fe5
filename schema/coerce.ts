import { runSync, type Steps } from '../shared/async/steps.ts'
import type { JsonSchema } from './types.ts'

/** Treatment of properties that the schema does not name. */
export type UnknownProperties = 'kept' | 'left out'

/**
 * Converts scalars to the types of the schema if the conversion is lossless: numbers and booleans to strings, numeric
 * strings to numbers, `"true"` and `"false"` to booleans. Other values stay unchanged, so that a later check reports
 * them.
 */
export function coerceToSchema(value: unknown, schema: JsonSchema, unknown: UnknownProperties = 'kept'): unknown {
  return runSync(coerceInSteps(value, schema, unknown))
}

/** Does the same as `coerceToSchema` in cooperative steps; can remove properties that the schema does not name. */
export function* coerceInSteps(value: unknown, schema: JsonSchema, unknown: UnknownProperties): Steps<unknown> {
  const fitting = branchFor(value, schema)
  if (fitting === null) return value
  if (Array.isArray(value))
    return isObject(fitting['items']) ? yield* withItems(value, fitting['items'], unknown) : value
  if (!isObject(value)) return scalar(value, typesOf(fitting))
  return isObject(fitting['properties']) ? yield* withProperties(value, fitting['properties'], unknown) : value
}

/**
 * Returns the branch of an `anyOf` schema for a value: for an array or object the first branch of that type, for a
 * scalar all types of all branches, null if no branch fits.
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
    result.push(yield* coerceInSteps(each, items, unknown))
    yield
  }
  return result
}

function* withProperties(value: JsonSchema, properties: JsonSchema, unknown: UnknownProperties): Steps<unknown> {
  const entries: (readonly [string, unknown])[] = unknown === 'kept' ? Object.entries(value) : []
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue
    const member = value[name]
    entries.push([name, isObject(property) ? yield* coerceInSteps(member, property, unknown) : member])
  }
  return Object.fromEntries(entries)
}

function scalar(value: unknown, types: readonly string[]): unknown {
  if (typeof value === 'string') {
    if (types.includes('string')) return value
    if (types.includes('number') || types.includes('integer')) return parseNumber(value) ?? value
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

/**
 * Parses a decimal number; null if the string is not a number, or has more digits (15) than a double represents
 * exactly.
 */
function parseNumber(text: string): number | null {
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) || text.replace(/[eE].*$|\D/g, '').length > 15) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** Returns whether a number is exact: parsing JSON may have rounded a larger integer. */
function isExact(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : []
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
