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

/** A JSON Schema (2020-12) as ajv compiles it and as OpenAPI 3.1 shows it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords that a schema may have beside its type: where one is written as a variant of another. */
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

/** A JSON Schema that carries the TypeScript type of what it lets through. */
export type Schema = Keywords & ({ readonly '~kind': string } | { readonly '~unsafe': unknown })

/** Type of the values that a schema lets through, readonly throughout. */
export type Of<S extends Schema> = Frozen<Static<S>>

type Frozen<T> = T extends number | ((...parameters: never) => unknown)
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<T[Key]> }
      : T

/** TypeBox's own `Static` knows many more kinds, which costs the compiler ten times as much as all else here. */
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

/** The schema as data. */
export function jsonOf(schema: Schema): JsonSchema {
  return schema
}

/** A schema whose type is stated, for what the builders here cannot say. */
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

/** An object schema. TypeBox's own type of one lists the required names as a tuple, which costs the compiler seconds. */
export interface ObjectSchema<P extends Properties> extends TUnsafe<ObjectType<P>> {
  readonly properties: P
}

type WithOptional<P extends Properties, O extends keyof P> = {
  [Key in keyof P]: Key extends O ? TOptional<P[Key]> : P[Key]
}

/** An object whose properties are all required but those named in `optional`. Properties that it does not name are ignored. */
export function object<P extends Properties, O extends keyof P & string = never>(
  properties: P,
  optional: readonly O[] = [],
): ObjectSchema<WithOptional<P, O>> {
  const names: readonly string[] = optional
  const entries = Object.entries(properties).map(([name, each]) => [
    name,
    names.includes(name) ? Type.Optional(each) : each,
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries keep their names
  return Type.Object(Object.fromEntries(entries) as Record<string, TSchema>) as unknown as ObjectSchema<
    WithOptional<P, O>
  >
}

/** An object that needs none of its properties. */
export function partial<P extends Properties>(properties: P): ObjectSchema<WithOptional<P, keyof P & string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object of properties are texts
  return object(properties, Object.keys(properties) as (keyof P & string)[])
}

/** An object with any keys, all of whose values fit the schema. */
export function recordOf<S extends Schema>(values: S): TUnsafe<Record<string, Static<S>>> {
  return unsafe({ type: 'object', additionalProperties: values })
}

export function list<S extends Schema>(items: S, rest: JsonSchema = {}): TUnsafe<Static<S>[]> {
  return unsafe({ type: 'array', items, ...rest })
}

/** One of the texts. */
export function oneOf<const V extends readonly string[]>(values: V, rest: JsonSchema = {}): TUnsafe<V[number]> {
  return unsafe({ type: 'string', enum: values, ...rest })
}

/** This text alone. */
export function literal<const T extends string>(value: T): TUnsafe<T> {
  return unsafe({ const: value })
}

type Nullable<S extends Schema> = TUnsafe<Static<S> | null>

/** Allows null beside what the schema lets through. */
export function nullable<S extends Schema>(schema: S): Nullable<S> {
  const json = jsonOf(schema)
  const { type } = json
  if (Array.isArray(type) && type.includes('null')) return unsafe(json)
  if (typeof type !== 'string') return unsafe({ anyOf: [json, { type: 'null' }] })
  const values = Array.isArray(json['enum']) ? { enum: [...(json['enum'] as readonly unknown[]), null] } : {}
  return unsafe({ ...json, type: [type, 'null'], ...values })
}

type Given<P extends Properties> = { [Key in keyof P]: Nullable<P[Key]> }

/** Every property may be null, which stands for left out. */
export function given<P extends Properties>(properties: P): Given<P> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries keep their names
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, nullable(each)])) as Given<P>
}

type Without<P, K extends PropertyKey> = { [Key in keyof P as Key extends K ? never : Key]: P[Key] }

/** The object without these properties. */
export function without<P extends Properties, K extends keyof P & string>(
  schema: ObjectSchema<P>,
  ...names: readonly K[]
): ObjectSchema<Without<P, K>> {
  const left: readonly string[] = names
  const { required, title: _, examples: __, ...rest } = jsonOf(schema)
  const properties = Object.entries(schema.properties).filter(([name]) => !left.includes(name))
  const needed = Array.isArray(required) ? required.filter(name => !left.includes(String(name))) : []
  const json = { ...rest, properties: Object.fromEntries(properties), ...(needed.length > 0 && { required: needed }) }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries keep their names
  return json as unknown as ObjectSchema<Without<P, K>>
}

type Defaulted<S extends Schema> = TUnsafe<Static<S>> & { readonly default: Of<S> }

/** The field has this value where a caller leaves it out, or sends null. */
export function withDefault<S extends Schema>(schema: S, value: Of<S>): Defaulted<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of what the schema lets through stays
  return unsafe({ ...jsonOf(schema), default: value }) as Defaulted<S>
}

type DefaultedKey<P extends Properties> = {
  [Key in keyof P]: P[Key] extends { readonly default: unknown } ? Key : never
}[keyof P] &
  string

/** The values of the fields that have a default. */
export function defaultsOf<P extends Properties>(fields: P): { readonly [Key in DefaultedKey<P>]: Of<P[Key]> } {
  const entries = Object.entries(fields).flatMap(([name, each]) =>
    'default' in each ? [[name, jsonOf(each)['default']]] : [],
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries keep their names
  return Object.fromEntries(entries) as { readonly [Key in DefaultedKey<P>]: Of<P[Key]> }
}

type InputFields<P extends Properties, R extends Properties> = {
  [Key in keyof P]: Key extends keyof R
    ? TOptional<R[Key]>
    : Key extends DefaultedKey<P>
      ? TOptional<Nullable<P[Key]>>
      : P[Key]
}

/**
 * Fields of a record as a caller sends them: those with a default may be left out or null, and instants come in any form.
 * `instead`: those that callers send in another shape.
 */
export function inputOf<P extends Properties, R extends Properties>(
  fields: P,
  instead: R,
): ObjectSchema<InputFields<P, R>> {
  const others: Properties = instead
  const entries = Object.entries(fields).map(([name, each]) => {
    const loose = loosened(each)
    return [name, others[name] ?? ('default' in each ? nullable(loose) : loose)] as const
  })
  const optional = [...Object.keys(defaultsOf(fields)), ...Object.keys(others)]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries keep their names
  return object(Object.fromEntries(entries), optional) as unknown as ObjectSchema<InputFields<P, R>>
}

/** Instants in any form where the schema is of one. */
function loosened(schema: Schema): Schema {
  const { format, ...rest } = jsonOf(schema)
  if (format !== 'date-time') return schema
  return unsafe({ ...jsonOf(looseInstant), ...rest, format: 'instant' })
}

/** The object with more properties, all of them required but those named in `optional`. */
export function extended<P extends Properties, M extends Properties, O extends keyof M & string = never>(
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries keep their names
  return json as unknown as ObjectSchema<WithOptional<M, O> & P>
}

const namedSchemas = new Map<string, JsonSchema>()

/**
 * Names the schema in the OpenAPI document, which contains it once and refers to it. A use may be nullable, with a
 * description and a default. Throws if another schema has the name.
 */
export function named<S extends Schema>(title: string, schema: S, description?: string): S {
  if (namedSchemas.has(title)) throw new Error(`Two schemas are called ${title}`)
  const result = { ...schema, title, ...(description !== undefined && { description }) }
  namedSchemas.set(title, jsonOf(result))
  return result
}

/** A list of what has a name, under that name and `List`. */
export function namedList<S extends Schema>(items: S): TUnsafe<Static<S>[]> {
  return named(`${String(jsonOf(items)['title'])}List`, list(items))
}

/** The schema that `named` gave this name to. */
export function schemaNamed(title: string): JsonSchema | undefined {
  return namedSchemas.get(title)
}

/** Adds a description for readers of the document. */
export function described<S extends Schema>(schema: S, description: string): S {
  return { ...schema, description }
}

/** Adds examples that the schema lets through. */
export function withExamples<S extends Schema>(schema: S, ...examples: readonly Of<S>[]): S {
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
/** Id that callers choose themselves. */
export const id = Type.String({ format: 'id', minLength: 1, maxLength: 200 })
/** Ids of reasons and types. */
export const intId = integer(1, 2_000_000_000)
export const uuid = Type.String({ format: 'uuid' })
/** As answered: always UTC with milliseconds. */
export const instant = Type.String({ format: 'date-time' })
/** As taken: every form of `shared/time/instant.ts`. */
export const looseInstant = Type.String({
  format: 'instant',
  description: 'ISO 8601 date-time; any offset, UTC without one',
})
/** As accepted for a due date: an instant, or a date, which the company's time zone makes an instant. */
export const instantOrDate = Type.String({
  format: 'instantOrDate',
  description:
    "ISO 8601 date-time, UTC without an offset; or a date YYYY-MM-DD, which means 00:00 of that day in the company's time zone",
})
export const nowUnlessGiven = described(nullable(looseInstant), 'ISO 8601 date-time; now unless given')
export const localDate = Type.String({ format: 'localDate', description: 'Local date, YYYY-MM-DD' })
export const localTime = Type.String({ format: 'localTime', description: 'Local wall time, HH:mm' })
export const fraction = Type.Number({ minimum: 0, maximum: 1 })
/** A number that adds up safely; not below 0. */
export const quantity = Type.Number({ minimum: 0, maximum: 1e15 })
export const email = Type.String({ format: 'email', maxLength: 254 })
export const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const color = Type.String({
  maxLength: 40,
  pattern: '^[#A-Za-z0-9(),.% -]*$',
  description: 'A CSS colour, e.g. #ff8800',
})
/** Null. Not by its type: generators of Go clients have none for it. */
export const nothing = named('Nothing', unsafe<null>({ const: null }))
export const idAndName = named('IdAndName', object({ id: text, name: text }))

export function integer(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum })
}
