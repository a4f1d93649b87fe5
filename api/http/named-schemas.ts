import { isDeepStrictEqual } from 'node:util'
import { schemaNamed } from '../../schema/types.ts'
import { capitalized } from './route.ts'

type Json = Readonly<Record<string, unknown>>

/** The named schemas of a document: each is in it once, under its name. */
export class NamedSchemas {
  readonly #components = new Map<string, unknown>()

  /** Replaces named schemas in a part of the document by references. Throws if two schemas of one name differ. */
  refer<T extends Json>(part: T): T {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only schemas, deep within it, change
    return this.#refer(part) as T
  }

  get components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(each => this.#refer(each))
    if (!isJson(value)) return value
    const { title } = value
    const base = typeof title === 'string' ? schemaNamed(title) : undefined
    return base && typeof title === 'string' ? this.#reference(title, base, value) : this.#inside(value)
  }

  #inside(schema: Json): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, this.#refer(each)]))
  }

  #reference(title: string, base: Json, use: Json): Json {
    if (!isDeepStrictEqual(essence(use), essence(base))) throw new Error(`A use of the schema ${title} differs from it`)
    if (!this.#components.has(title)) {
      this.#components.set(title, null)
      this.#components.set(title, { ...this.#inside(base), ...namesOfValues(title, base) })
    }
    const reference = { $ref: `#/components/schemas/${title}` }
    const isNullableUse = allowsNull(use) && !allowsNull(base)
    return { ...(isNullableUse ? { anyOf: [reference, { type: 'null' }] } : reference), ...ownNotes(use, base) }
  }
}

/** Names of the constants of an enum: generated Go code has all constants in one package. */
function namesOfValues(title: string, { enum: values }: Json): Json {
  if (!Array.isArray(values)) return {}
  return {
    'x-enum-varnames': values.map(
      value =>
        title +
        String(value)
          .split(/[^\dA-Za-z]+/)
          .map(capitalized)
          .join(''),
    ),
  }
}

const notes = ['description', 'default', 'examples'] as const

/** Annotations of a use that differ from those of its schema. */
function ownNotes(use: Json, base: Json): Json {
  const own = notes.filter(name => name in use && !isDeepStrictEqual(use[name], base[name]))
  return Object.fromEntries(own.map(name => [name, use[name]]))
}

/** The part of a schema that determines valid values, without null. */
function essence(schema: Json): Json {
  const rest = Object.entries(schema).filter(([key]) => !notes.some(name => name === key))
  return Object.fromEntries(
    rest.map(([key, value]) => [key, key === 'type' || key === 'enum' ? withoutNull(value) : value]),
  )
}

function withoutNull(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const rest = value.filter(each => each !== null && each !== 'null')
  return rest.length === 1 && typeof value[0] === 'string' && value.includes('null') ? rest[0] : rest
}

function allowsNull({ type }: Json): boolean {
  return Array.isArray(type) ? type.includes('null') : type === 'null'
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
