import { coerced } from '../../schema/coerce.ts'
import { type JsonSchema, jsonOf, type Schema } from '../../schema/types.ts'
import type { Warning } from './warnings.ts'

/** A query string as its schema says, and what of it was passed over. */
export interface ConvertedQuery {
  readonly query: Readonly<Record<string, unknown>>
  readonly warnings: readonly Warning[]
}

/**
 * A query string's texts as the schema's types: `true`, `1` and the bare name are true, digits are numbers. What can't be converted
 * stays a text, for the schema to find fault with. `name`, `name[]` and repeated ones are one list; where the schema has a single
 * value, the last one counts. An empty value is no filter, which a warning says.
 */
export function convertQuery(query: unknown, schema: Schema): ConvertedQuery {
  const { properties } = jsonOf(schema)
  const converted: Record<string, unknown> = {}
  const warnings: Warning[] = []
  if (!isRecord(query) || !isRecord(properties)) return { query: converted, warnings }
  for (const [name, property] of Object.entries(properties)) {
    const texts = [query[name], query[`${name}[]`]].flat().filter(each => typeof each === 'string')
    const last = texts.at(-1)
    if (last === undefined || !isRecord(property)) continue
    if (last === '' && property['type'] !== 'boolean')
      warnings.push({ field: name, message: `${name} is empty and filters nothing` })
    else if (property['type'] === 'array') converted[name] = coerced(texts, property)
    else converted[name] = convert(last, property)
  }
  return { query: converted, warnings }
}

function convert(text: string, property: JsonSchema): unknown {
  if (property['format'] === 'instant') return withOffset(text)
  if (property['type'] === 'boolean') return /^(true|1|)$/i.test(text) || (/^(false|0)$/i.test(text) ? false : text)
  return coerced(text, property)
}

/** The `+` of an offset that was not encoded has become a space. */
function withOffset(text: string): string {
  return text.replace(/^(\d{4}-?\d\d-?\d\d[Tt ][\d:.,]+) (\d\d(?::?\d\d)?)$/, '$1+$2')
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
