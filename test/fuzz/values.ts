import type { Random } from '../../demo/simulate/random.ts'
import { minuteMs } from '../../shared/time/units.ts'

/** A JSON Schema of the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>

/** Creates values that are mostly valid by a schema. */
export interface ValueMaker {
  /** A value of the schema; `depth` limits the depth of optional parts. */
  make(schema: Schema, depth?: number): unknown
}

const maxDepth = 6

/** `document` resolves references; `ids` are ids of existing records, with which requests reach them. */
export function valueMaker(document: unknown, random: Random, ids: readonly string[]): ValueMaker {
  return { make }

  function make(given: Schema, depth = 0): unknown {
    const schema = resolve(given)
    const choices = list(schema['enum']) ?? list(schema['examples'])
    if ('const' in schema) return schema['const']
    if (choices && choices.length > 0 && random.chance('enum' in schema ? 0.9 : 0.4))
      return choices[random.integer(0, choices.length)]
    const options = 'properties' in schema ? null : (list(schema['anyOf']) ?? list(schema['oneOf']))
    if (options && options.length > 0) return make(asSchema(options[random.integer(0, options.length)]), depth + 1)
    const parts = list(schema['allOf'])
    if (parts) return Object.assign({}, ...parts.map(part => make(asSchema(part), depth + 1)))
    return ofType(typeOf(schema), schema, depth)
  }

  function ofType(type: string, schema: Schema, depth: number): unknown {
    switch (type) {
      case 'object':
        return objectOf(schema, depth)
      case 'array':
        return depth > maxDepth
          ? []
          : Array.from({ length: random.integer(0, 4) }, () => make(asSchema(schema['items']), depth + 1))
      case 'string':
        return textOf(schema)
      case 'integer':
        return random.integer(Number(schema['minimum'] ?? -10), Number(schema['maximum'] ?? 1000) + 1)
      case 'number':
        return random.between(Number(schema['minimum'] ?? -10), Number(schema['maximum'] ?? 1000))
      case 'boolean':
        return random.chance(0.5)
      default:
        return null
    }
  }

  function objectOf(schema: Schema, depth: number): unknown {
    const required = new Set(list(schema['required']) ?? [])
    const properties = Object.entries(asSchema(schema['properties']))
    return Object.fromEntries(
      properties
        .filter(([name]) => required.has(name) || random.chance(depth > maxDepth ? 0 : 0.6))
        .map(([name, property]) => [name, make(asSchema(property), depth + 1)]),
    )
  }

  function textOf(schema: Schema): string {
    if ('contentSchema' in schema) return linesOf(asSchema(schema['contentSchema']))
    const text = ofFormat(schema['format'])
    return text ?? random.pick(['A', 'lathe 4', 'Müller', '00:00', '2026-03-02', 'x'.repeat(40), ids[0] ?? 'id'])
  }

  function linesOf(schema: Schema): string {
    return Array.from({ length: random.integer(0, 4) }, () => JSON.stringify(make(schema))).join('\n')
  }

  function ofFormat(format: unknown): string | null {
    const minute = Date.now() - random.integer(0, 3_000) * minuteMs
    switch (format) {
      case 'uuid':
      case 'id':
        return ids.length > 0 && random.chance(0.8) ? (ids[random.integer(0, ids.length)] ?? null) : crypto.randomUUID()
      case 'instant':
      case 'date-time':
        return new Date(minute).toISOString()
      case 'localDate':
      case 'date':
        return new Date(minute).toISOString().slice(0, 10)
      case 'localTime':
        return random.pick(['00:00', '06:00', '14:30', '23:59'])
      case 'timeZone':
        return random.pick(['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])
      default:
        return null
    }
  }

  function resolve(schema: Schema): Schema {
    const reference = schema['$ref']
    if (typeof reference !== 'string') return schema
    const parts = reference.replace(/^#\//, '').split('/')
    return resolve(asSchema(parts.reduce<unknown>((at, part) => asSchema(at)[part], document)))
  }

  function typeOf(schema: Schema): string {
    const types = list(schema['type']) ?? [schema['type'] ?? ('properties' in schema ? 'object' : 'string')]
    const others = types.filter(type => type !== 'null')
    return types.length > others.length && random.chance(0.2)
      ? 'null'
      : String(others[random.integer(0, others.length)])
  }
}

function list(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null
}

function asSchema(value: unknown): Schema {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any object of the document
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}
