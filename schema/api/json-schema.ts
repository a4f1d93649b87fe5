/** A JSON Schema (2020-12), as ajv compiles it and as OpenAPI 3.1 shows it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A JSON Schema with the TypeScript type of what it lets through. */
export interface Schema<T> {
  readonly json: JsonSchema
  /** Never there: carries the type alone. */
  readonly type?: T
}

/** Says which type a schema stands for; the two are kept side by side by hand. */
export function schema<T>(json: JsonSchema): Schema<T> {
  return { json }
}

/** An object whose properties are all required but those named in `optional`. */
export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** An object that needs none of its properties. */
export function partial(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties }
}

export function list(items: JsonSchema, rest: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...rest }
}

/** The same, or null. */
export function nullable(json: JsonSchema): JsonSchema {
  if (Array.isArray(json['enum'])) return { ...json, type: [json['type'], 'null'], enum: [...json['enum'], null] }
  return { ...json, type: [json['type'], 'null'] }
}

/** Every property may be null, which stands for left out. */
export function optional(properties: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(properties).map(([key, json]) => [key, orNull(json)]))
}

function orNull(json: JsonSchema): JsonSchema {
  return Array.isArray(json['type']) ? json : nullable(json)
}

export const text = { type: 'string' } as const
export const name = { type: 'string', minLength: 1, maxLength: 200, format: 'name' } as const
export const int = { type: 'integer' } as const
export const number = { type: 'number' } as const
export const bool = { type: 'boolean' } as const
/** Of what callers name themselves. */
export const id = { type: 'string', format: 'id', minLength: 1, maxLength: 200 } as const
export const uuid = { type: 'string', format: 'uuid' } as const
/** As answered: always UTC with milliseconds. */
export const instant = { type: 'string', format: 'date-time' } as const
/** As taken: with or without milliseconds, any offset, UTC without one. */
export const looseInstant = {
  type: 'string',
  format: 'instant',
  description: 'ISO 8601 date-time; any offset, UTC without one',
} as const
export const localDate = { type: 'string', format: 'localDate', description: 'Local date, YYYY-MM-DD' } as const
export const localTime = { type: 'string', format: 'localTime', description: 'Local wall time, HH:mm' } as const
export const fraction = { type: 'number', minimum: 0, maximum: 1 } as const
export const nothing = { type: 'null' } as const
