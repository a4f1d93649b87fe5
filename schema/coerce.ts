import type { JsonSchema } from './types.ts'

/**
 * The value with its scalars as what the schema says, where nothing is lost: numbers and booleans for texts, texts of numbers for
 * numbers, `"true"` and `"false"` for booleans. All else stays as it is, for a check to find fault with.
 */
export function coerced(value: unknown, schema: JsonSchema): unknown {
  const branches = schema['anyOf']
  if (Array.isArray(branches)) return coercedTo(value, branches.filter(isObject))
  if (Array.isArray(value)) return isObject(schema['items']) ? mapped(value, schema['items']) : value
  if (isObject(value)) return isObject(schema['properties']) ? withProperties(value, schema['properties']) : value
  return scalar(value, typesOf(schema))
}

/** By the first branch that is of the value's kind. */
function coercedTo(value: unknown, branches: readonly JsonSchema[]): unknown {
  const kind = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : null
  if (kind !== null) {
    const branch = branches.find(each => typesOf(each).includes(kind))
    return branch ? coerced(value, branch) : value
  }
  return scalar(value, branches.flatMap(typesOf))
}

function mapped(values: readonly unknown[], items: JsonSchema): readonly unknown[] {
  const result = values.map(each => coerced(each, items))
  return result.some((each, index) => each !== values[index]) ? result : values
}

function withProperties(value: JsonSchema, properties: JsonSchema): JsonSchema {
  const changes = Object.entries(properties).flatMap(([name, property]) => {
    if (!Object.hasOwn(value, name) || !isObject(property)) return []
    const result = coerced(value[name], property)
    return result === value[name] ? [] : [[name, result] as const]
  })
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) }
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

/** null: it is no number, or one that has more digits than a number keeps. */
function numberOf(text: string): number | null {
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) || text.replace(/[eE].*$|\D/g, '').length > 15) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** A larger integer may have been another one before JSON was read. */
function isExact(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : []
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
