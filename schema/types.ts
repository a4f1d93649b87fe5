import {
  Type,
  type TBoolean,
  type TInteger,
  type TNull,
  type TNumber,
  type TString,
  type TOptional,
  type TSchema,
  type TUnsafe,
} from 'typebox'

/** A JSON Schema (2020-12), as used by Ajv and in the OpenAPI 3.1 document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords that are read from a schema in order to derive a variant of it. */
type Keywords = {
  readonly description?: string
  readonly default?: unknown
  readonly examples?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

/** A JSON Schema that carries the TypeScript type of valid values. */
export type Schema = Keywords & ({ readonly '~kind': string } | { readonly '~unsafe': unknown })

/** Type of the values that are valid for a schema, deeply readonly. */
export type Infer<S extends Schema> = Frozen<Static<S>>

type Frozen<T> = T extends number | ((...parameters: never) => unknown)
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<T[Key]> }
      : T

/**
 * Type of valid values for the few kinds of schemas used here: TypeBox's own `Static` supports many more, and type
 * checking with it takes ten times as long.
 */
type Static<S extends Schema> = S extends { readonly '~unsafe': infer T }
  ? T
  : S extends TString
    ? string
    : S extends TNumber | TInteger
      ? number
      : S extends TBoolean
        ? boolean
        : S extends TNull
          ? null
          : unknown

export type Properties = Readonly<Record<string, Schema>>

/** Returns the schema as a JSON object. */
export function jsonOf(schema: Schema): JsonSchema {
  return schema
}

/** Creates a schema with an explicitly stated type, if the other functions of this file cannot express it. */
export function unsafe<T>(json: JsonSchema | Schema): TUnsafe<T> {
  return Type.Unsafe<T>(json)
}

type OptionalKey<P extends Properties> = {
  [Key in keyof P]: P[Key] extends { readonly '~optional': true } ? Key : never
}[keyof P]

type Flat<T> = { [Key in keyof T]: T[Key] }

type ObjectType<P extends Properties> = Flat<
  { [Key in Exclude<keyof P, OptionalKey<P>>]: Static<P[Key]> } & { [Key in OptionalKey<P>]?: Static<P[Key]> }
>

/** An object schema. TypeBox's own type lists the required names as a tuple, which slows type checking by seconds. */
export interface ObjectSchema<P extends Properties> extends TUnsafe<ObjectType<P>> {
  readonly properties: P
}

type WithOptional<P extends Properties, O extends keyof P> = {
  [Key in keyof P]: Key extends O ? TOptional<P[Key]> : P[Key]
}

/** Creates an object schema. Properties are required unless they are in `optional`; unknown properties are ignored. */
export function object<P extends Properties, O extends keyof P & string = never>(
  properties: P,
  optional: readonly O[] = [],
): ObjectSchema<WithOptional<P, O>> {
  const names: readonly string[] = optional
  const entries = Object.entries(properties).map(([name, each]) => [
    name,
    names.includes(name) ? Type.Optional(each) : each,
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the entries do not change
  return Type.Object(Object.fromEntries(entries) as Record<string, TSchema>) as unknown as ObjectSchema<
    WithOptional<P, O>
  >
}

/** Creates an object schema whose properties are all optional. */
export function partial<P extends Properties>(properties: P): ObjectSchema<WithOptional<P, keyof P & string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of objects are strings
  return object(properties, Object.keys(properties) as (keyof P & string)[])
}

/** Creates the schema of an object with arbitrary keys whose values match a schema. */
export function recordOf<S extends Schema>(values: S): TUnsafe<Record<string, Static<S>>> {
  return unsafe({ type: 'object', additionalProperties: values })
}

export function list<S extends Schema>(items: S, rest: JsonSchema = {}): TUnsafe<Static<S>[]> {
  return unsafe({ type: 'array', items, ...rest })
}

/** Creates the schema of a string that is one of these values. */
export function oneOf<const V extends readonly string[]>(values: V, rest: JsonSchema = {}): TUnsafe<V[number]> {
  return unsafe({ type: 'string', enum: values, ...rest })
}

/** Creates the schema of exactly this string. */
export function literal<const T extends string>(value: T): TUnsafe<T> {
  return unsafe({ const: value })
}

type Nullable<S extends Schema> = TUnsafe<Static<S> | null>

/** Creates a schema that also allows null. */
export function nullable<S extends Schema>(schema: S): Nullable<S> {
  const json = jsonOf(schema)
  const { type } = json
  if (Array.isArray(type) && type.includes('null')) return unsafe(json)
  if (typeof type !== 'string') return unsafe({ anyOf: [json, { type: 'null' }] })
  const values = Array.isArray(json['enum']) ? { enum: [...(json['enum'] as readonly unknown[]), null] } : {}
  return unsafe({ ...json, type: [type, 'null'], ...values })
}

type NullableProperties<P extends Properties> = { [Key in keyof P]: Nullable<P[Key]> }

/** Makes every property nullable; null means omitted. */
export function nullableProperties<P extends Properties>(properties: P): NullableProperties<P> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the entries do not change
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, nullable(each)]),
  ) as NullableProperties<P>
}

type Without<P, K extends PropertyKey> = { [Key in keyof P as Key extends K ? never : Key]: P[Key] }

/** Removes properties from an object schema. */
export function without<P extends Properties, K extends keyof P & string>(
  schema: ObjectSchema<P>,
  ...names: readonly K[]
): ObjectSchema<Without<P, K>> {
  const left: readonly string[] = names
  const { required, title: _, examples: __, ...rest } = jsonOf(schema)
  const properties = Object.entries(schema.properties).filter(([name]) => !left.includes(name))
  const needed = Array.isArray(required) ? required.filter(name => !left.includes(String(name))) : []
  const json = { ...rest, properties: Object.fromEntries(properties), ...(needed.length > 0 && { required: needed }) }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the entries do not change
  return json as unknown as ObjectSchema<Without<P, K>>
}

type Defaulted<S extends Schema> = TUnsafe<Static<S>> & { readonly default: Infer<S> }

/** Adds a default, which applies if a request omits the field or contains null. */
export function withDefault<S extends Schema>(schema: S, value: Infer<S>): Defaulted<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of valid values does not change
  return unsafe({ ...jsonOf(schema), default: value }) as Defaulted<S>
}

type DefaultedKey<P extends Properties> = {
  [Key in keyof P]: P[Key] extends { readonly default: unknown } ? Key : never
}[keyof P] &
  string

/** Returns the default values of the fields that have one. */
export function defaultsOf<P extends Properties>(fields: P): { readonly [Key in DefaultedKey<P>]: Infer<P[Key]> } {
  const entries = Object.entries(fields).flatMap(([name, each]) =>
    'default' in each ? [[name, jsonOf(each)['default']]] : [],
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the entries do not change
  return Object.fromEntries(entries) as { readonly [Key in DefaultedKey<P>]: Infer<P[Key]> }
}

type InputFields<P extends Properties, R extends Properties> = {
  [Key in keyof P]: Key extends keyof R
    ? TOptional<R[Key]>
    : Key extends DefaultedKey<P>
      ? TOptional<Nullable<P[Key]>>
      : P[Key]
}

/**
 * Creates the schema of a record in requests: fields with a default may be omitted or null, and instants may have any
 * ISO 8601 form. `replaced`: fields with another schema in requests.
 */
export function inputSchema<P extends Properties, R extends Properties>(
  fields: P,
  replaced: R,
): ObjectSchema<InputFields<P, R>> {
  const others: Properties = replaced
  const entries = Object.entries(fields).map(([name, each]) => {
    const loose = acceptAnyIsoForm(each)
    return [name, others[name] ?? ('default' in each ? nullable(loose) : loose)] as const
  })
  const optional = [...Object.keys(defaultsOf(fields)), ...Object.keys(others)]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the entries do not change
  return object(Object.fromEntries(entries), optional) as unknown as ObjectSchema<InputFields<P, R>>
}

/** Allows any ISO 8601 form if the schema is an instant. */
function acceptAnyIsoForm(schema: Schema): Schema {
  const { format, ...rest } = jsonOf(schema)
  if (format !== 'date-time') return schema
  return unsafe({ ...jsonOf(looseInstant), ...rest, format: 'instant' })
}

/** Adds properties to an object schema; they are required unless they are in `optional`. */
export function extendObject<P extends Properties, M extends Properties, O extends keyof M & string = never>(
  schema: ObjectSchema<P>,
  more: M,
  optional: readonly O[] = [],
): ObjectSchema<WithOptional<M, O> & P> {
  const added = object(more, optional)
  const { required, title: _, examples: __, ...rest } = jsonOf(schema)
  const needed = [jsonOf(added)['required'], required].flatMap(each => (Array.isArray(each) ? each : []))
  const json = {
    ...rest,
    properties: { ...added.properties, ...schema.properties },
    ...(needed.length > 0 && { required: needed }),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the entries do not change
  return json as unknown as ObjectSchema<WithOptional<M, O> & P>
}

const namedSchemas = new Map<string, JsonSchema>()

/**
 * Adds a title to a schema. The OpenAPI document contains the schema once under this title, and other schemas refer to
 * it; they may make it nullable and add a description or default. Throws if another schema has the title.
 */
export function named<S extends Schema>(title: string, schema: S, description?: string): S {
  if (namedSchemas.has(title)) throw new Error(`Two schemas have the title ${title}`)
  const result = { ...schema, title, ...(description !== undefined && { description }) }
  namedSchemas.set(title, jsonOf(result))
  return result
}

/** Creates the schema of an array, titled with the title of its items and `List`. */
export function namedList<S extends Schema>(items: S): TUnsafe<Static<S>[]> {
  return named(`${String(jsonOf(items)['title'])}List`, list(items))
}

/** Returns the schema with this title, which `named` has registered. */
export function schemaNamed(title: string): JsonSchema | undefined {
  return namedSchemas.get(title)
}

/** Adds a description for readers of the OpenAPI document. */
export function described<S extends Schema>(schema: S, description: string): S {
  return { ...schema, description }
}

/** Adds examples, which must be valid for the schema. */
export function withExamples<S extends Schema>(schema: S, ...examples: readonly Infer<S>[]): S {
  return { ...schema, examples }
}

export const text = Type.String()
export const shortText = Type.String({ maxLength: 200 })
export const longText = Type.String({ maxLength: 4000 })
export const name = Type.String({ minLength: 1, maxLength: 200, format: 'name' })
export const int = Type.Integer()
export const int32Number = integer(-2_147_483_648, 2_147_483_647)
export const number = Type.Number()
export const bool = Type.Boolean()
/** Id that callers choose. */
export const id = Type.String({ format: 'id', minLength: 1, maxLength: 200 })
/** Id of a downtime reason or of a part adjustment type. */
export const intId = integer(1, 2_000_000_000)
export const uuid = Type.String({ format: 'uuid' })
/** Instant in records and responses: always UTC with milliseconds. */
export const instant = Type.String({ format: 'date-time' })
/** Instant in requests: any form that `shared/time/instant.ts` parses. */
export const looseInstant = Type.String({
  format: 'instant',
  description: 'ISO 8601 date-time; any offset, UTC without one',
})
/** Due date in requests: an instant, or a date, which means 00:00 in the company's time zone. */
export const instantOrDate = Type.String({
  format: 'instantOrDate',
  description:
    "ISO 8601 date-time, UTC without an offset; or a date YYYY-MM-DD, which means 00:00 of that day in the company's time zone",
})
export const instantOrNow = described(nullable(looseInstant), 'ISO 8601 date-time; default: now')
export const localDate = Type.String({ format: 'localDate', description: 'Local date, YYYY-MM-DD' })
export const localTime = Type.String({ format: 'localTime', description: 'Local wall time, HH:mm' })
export const fraction = Type.Number({ minimum: 0, maximum: 1 })
/** A non-negative number that is small enough for exact sums. */
export const quantity = Type.Number({ minimum: 0, maximum: 1e15 })
export const email = Type.String({ format: 'email', maxLength: 254 })
export const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const color = Type.String({
  maxLength: 40,
  pattern: '^[#A-Za-z0-9(),.% -]*$',
  description: 'A CSS colour, e.g. #ff8800',
})
/** null, as `const` and not as a type: generators of Go clients do not support the type null. */
export const nullSchema = named('Nothing', unsafe<null>({ const: null }))
export const idAndName = named('IdAndName', object({ id: text, name: text }))

export function integer(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum })
}
