import type { PayloadSchema, Schema } from './payload.ts'

/** Pieces of payload schemas. */
export const uuid: Schema = { type: 'string', format: 'uuid' }
export const id: Schema = { type: 'string', format: 'id' }
/** Ids of reasons and types. */
export const intId: Schema = { type: 'integer', minimum: 1, maximum: 2_000_000_000 }
export const name: Schema = { type: 'string', format: 'name', maxLength: 200 }
export const text: Schema = { type: 'string', maxLength: 200 }
export const longText: Schema = { type: 'string', maxLength: 4000 }
export const color: Schema = { type: 'string', maxLength: 40, pattern: '^[#A-Za-z0-9(),.% -]*$' }
export const instant: Schema = { type: 'string', format: 'instant' }
export const flag: Schema = { type: 'boolean' }
export const int32: Schema = { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }
/** A number that adds up safely; not below 0. */
export const amount: Schema = { type: 'number', minimum: 0, maximum: 1e15 }
export const fraction: Schema = { type: 'number', minimum: 0, maximum: 1 }
export const email: Schema = { type: 'string', format: 'email' }
export const sha256: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' }

export function integer(minimum: number, maximum: number): Schema {
  return { type: 'integer', minimum, maximum }
}

/** One of the texts. */
export function oneOf(values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

/** The same, or null. */
export function nullable(schema: Schema): Schema {
  if (Array.isArray(schema['type'])) return schema
  const values = schema['enum']
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as readonly unknown[]), null] } : {}),
  }
}

export function list(items: Schema, maxItems: number): Schema {
  return { type: 'array', items, maxItems }
}

/** An object; keys it doesn't name are ignored. */
export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required }
}

/** The payload of a command, of type `P`. */
export function payloadOf<P>(
  properties: Readonly<Record<string, Schema>>,
  required: readonly (keyof P & string)[] = [],
): PayloadSchema<P> {
  return { schema: object(properties, required) }
}

/** Every property nullable: null stands for left out. */
export function optional(properties: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, nullable(schema)]))
}

/** Only some of the thresholds, perhaps. */
export const thresholds: Schema = nullable(
  object(
    optional({
      oeeWarning: fraction,
      oeeFailure: fraction,
      partsGoalWarning: fraction,
      partsGoalFailure: fraction,
      utilizationWarning: fraction,
      utilizationFailure: fraction,
    }),
  ),
)
