import { type JsonSchema, jsonOf, type Schema } from '../../schema/types.ts'

/** An ignored part of a request, and a suggestion. */
export interface Warning {
  readonly field: string
  readonly message: string
}

/** Warnings about unknown keys at the top of a body that resemble a key of the schema which the body lacks. */
export function nearMisses(body: unknown, schema: Schema | undefined): readonly Warning[] {
  if (schema === undefined || !isRecord(body)) return []
  const { properties } = jsonOf(schema)
  if (!isRecord(properties)) return []
  const missing = Object.keys(properties).filter(name => !Object.hasOwn(body, name))
  return Object.keys(body)
    .filter(key => !Object.hasOwn(properties, key))
    .slice(0, maxKeys)
    .flatMap(key => {
      const known = nearest(key, missing)
      const message = `${key} is unknown and was ignored; did you mean ${known}?`
      return known === null ? [] : [{ field: key, message }]
    })
}

const maxKeys = 100
const maxKeyChars = 60

/** The most similar name: equal except for letter case, `_` and `-`, or with one or two other letters; null: none. */
export function nearest(text: string, names: readonly string[]): string | null {
  if (text.length > maxKeyChars) return null
  const plain = plainOf(text)
  const distances = names.map(name => ({ name, distance: distance(plain, plainOf(name)) }))
  const [best] = distances.sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.min(2, Math.floor(best.name.length / 3)) ? best.name : null
}

function plainOf(name: string): string {
  return name.replace(/[_\s-]/g, '').toLowerCase()
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(b).entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)))
    row = next
  }
  return row.at(-1) ?? 0
}

/** The header with the warnings of a response whose body cannot contain them: ASCII, as headers require. */
export function warningHeader(warnings: readonly Warning[]): string {
  const readable = /%(?:20|22|5B|5D|7B|7D)/g
  return encodeURI(JSON.stringify(warnings)).replace(readable, decodeURIComponent).slice(0, 4000)
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
