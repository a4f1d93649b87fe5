import { jsonOf, type Schema } from '../../schema/types.ts'

/**
 * A query string's texts as the schema's types: `true`, `1` and the bare name are true, digits are numbers. What can't be
 * converted stays a text, for the schema to find fault with. Of a repeated name the last one counts.
 */
export function convertQuery(query: unknown, schema: Schema): Record<string, unknown> {
  const { properties } = jsonOf(schema)
  const converted: Record<string, unknown> = {}
  if (!isRecord(query) || !isRecord(properties)) return converted
  for (const [name, property] of Object.entries(properties)) {
    const given = query[name]
    const text: unknown = Array.isArray(given) ? given.at(-1) : given
    if (typeof text === 'string') converted[name] = convert(text, isRecord(property) ? property['type'] : undefined)
  }
  return converted
}

function convert(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean') return /^(true|1|)$/i.test(text) || (/^(false|0)$/i.test(text) ? false : text)
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text))
  return isNumber ? Number(text) : text
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
