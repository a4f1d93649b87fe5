import { coerceToSchema } from '../../schema/coerce.ts'
import { type JsonSchema, jsonOf, type Schema } from '../../schema/types.ts'
import type { Warning } from './warnings.ts'

/** A query string converted to the types of its schema, with warnings about ignored parameters. */
export interface ConvertedQuery {
  readonly query: Readonly<Record<string, unknown>>
  readonly warnings: readonly Warning[]
}

/**
 * Converts the strings of a query to the types of the schema: `true`, `1` and the bare name are true, digits are
 * numbers. A string that cannot be converted stays as it is, so that validation reports it. `name`, `name[]` and
 * repeated names form one array; if the schema has a single value, the last one counts. An empty value is ignored with
 * a warning.
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
      warnings.push({ field: name, message: `${name} is empty and was ignored` })
    else if (property['type'] === 'array') converted[name] = coerceToSchema(texts, property)
    else converted[name] = convert(last, property)
  }
  return { query: converted, warnings }
}

function convert(text: string, property: JsonSchema): unknown {
  if (property['format'] === 'instant') return withOffset(text)
  if (property['type'] === 'boolean') return /^(true|1|)$/i.test(text) || (/^(false|0)$/i.test(text) ? false : text)
  return coerceToSchema(text, property)
}

/** The unencoded `+` of an offset was decoded to a space. */
function withOffset(text: string): string {
  return text.replace(/^(\d{4}-?\d\d-?\d\d[Tt ][\d:.,]+) (\d\d(?::?\d\d)?)$/, '$1+$2')
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
