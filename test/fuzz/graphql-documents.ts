import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLObjectType,
  type GraphQLSchema,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import type { Random } from '../../demo/simulate/random.ts'

/** A GraphQL request: a document with its variables. */
export interface GraphqlRequest {
  readonly query: string
  readonly operationName?: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Ids of existing entities, so that arguments find them. */
export interface Known {
  readonly machineRef: number
  readonly ids: readonly string[]
}

const maxDepth = 9

/** Creates random requests over a schema: nested relations, aliases, fragments, directives and arguments; some of them invalid. */
export function graphqlRequestMaker(schema: GraphQLSchema, random: Random, known: Known): () => GraphqlRequest {
  return () => {
    const writer = new DocumentWriter(random, known)
    const request = writer.write(rootOf(schema, random))
    return random.chance(0.1) ? { ...request, query: broken(request.query, random) } : request
  }
}

function rootOf(schema: GraphQLSchema, random: Random): readonly [string, GraphQLObjectType] {
  const [query, subscription] = [schema.getQueryType(), schema.getSubscriptionType()]
  if (!query || !subscription) throw new Error('The schema has queries and subscriptions')
  return random.chance(0.9) ? ['query', query] : ['subscription', subscription]
}

class DocumentWriter {
  readonly #random: Random
  readonly #known: Known
  readonly #fragments = new Map<string, string>()
  readonly #variables = new Map<string, { readonly type: string; readonly value: unknown }>()
  /** Number of fields that may still be written; relations would otherwise fill the document. */
  #left: number

  constructor(random: Random, known: Known) {
    this.#random = random
    this.#known = known
    this.#left = random.pick([5, 30, 150])
  }

  write([kind, type]: readonly [string, GraphQLObjectType]): GraphqlRequest {
    const random = this.#random
    const depth = random.integer(2, maxDepth + 1)
    const selection = this.#selection(type, depth, kind === 'subscription' ? 1 : random.pick([1, 1, 2, 4]))
    const declared = [...this.#variables].map(([name, { type: of }]) => `$${name}: ${of}`)
    const head = `${kind} Q${declared.length === 0 ? '' : `(${declared.join(', ')})`}`
    const variables = Object.fromEntries([...this.#variables].map(([name, { value }]) => [name, value]))
    const query = [`${head} ${selection}`, ...this.#fragments.values()].join('\n')
    return { query, variables, ...(random.chance(0.5) && { operationName: 'Q' }) }
  }

  #selection(type: GraphQLObjectType, depth: number, count = this.#random.integer(1, 5)): string {
    const fields = Object.values(type.getFields())
    const relations = fields.filter(field => isObject(field))
    const wanted = depth > 0 && relations.length > 0 && this.#random.chance(0.8) ? relations : fields
    const parts = Array.from({ length: count }, () => this.#part(type, wanted, depth))
    const first = fields.find(field => !isObject(field))
    const written = parts.filter(part => part !== '')
    return `{ ${written.length > 0 ? written.join(' ') : (first?.name ?? '__typename')} }`
  }

  #part(type: GraphQLObjectType, fields: readonly GraphQLField<unknown, unknown>[], depth: number): string {
    const random = this.#random
    if (random.chance(0.1)) return `${this.#alias()}__typename${this.#directive()}`
    if (depth > 0 && random.chance(0.08)) return `... ${this.#directive()} ${this.#selection(type, depth - 1)}`
    if (depth > 0 && random.chance(0.08)) return `... on ${type.name} ${this.#selection(type, depth - 1)}`
    if (depth > 0 && random.chance(0.1)) return `...${this.#fragment(type, depth)}`
    const field = fields[random.integer(0, fields.length)]
    if (!field || --this.#left < 0) return ''
    const to = getNamedType(field.type)
    if (to instanceof GraphQLObjectType && depth <= 0) return ''
    const args = this.#args(field)
    const head = `${this.#alias(args !== '')}${field.name}${args}${this.#directive()}`
    if (!(to instanceof GraphQLObjectType)) return head
    return `${head} ${this.#selection(to, depth - 1)}`
  }

  /** A unique alias, mostly for fields with arguments: two fields of one name must have equal arguments. */
  #alias(isNeeded = false): string {
    return this.#random.chance(isNeeded ? 0.97 : 0.4) ? `a${this.#random.integer(0, 1e9)}: ` : ''
  }

  #directive(): string {
    const random = this.#random
    if (random.chance(0.85)) return ''
    const value = random.chance(0.5) ? String(random.chance(0.5)) : this.#variable('Boolean!', random.chance(0.5))
    return ` @${random.pick(['include', 'skip'])}(if: ${value})`
  }

  /** A fragment that may be spread in several places. */
  #fragment(type: GraphQLObjectType, depth: number): string {
    const name = `F${type.name}${this.#random.integer(0, 3)}`
    // A fragment must not spread itself.
    if (this.#fragments.get(name) === '') return ` on ${type.name} { __typename }`
    if (this.#fragments.has(name)) return name
    this.#fragments.set(name, '')
    this.#fragments.set(name, `fragment ${name} on ${type.name} ${this.#selection(type, depth - 2)}`)
    return name
  }

  #variable(type: string, value: unknown): string {
    const name = `v${this.#variables.size}`
    this.#variables.set(name, { type, value })
    return `$${name}`
  }

  #args({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.filter(arg => isRequiredArgument(arg) || this.#random.chance(0.2))
    return given.length === 0 ? '' : `(${given.map(arg => this.#arg(arg)).join(', ')})`
  }

  #arg({ name, type }: GraphQLArgument): string {
    const value = this.#value(type, 3)
    return `${name}: ${this.#random.chance(0.3) ? this.#variable(String(type), value) : literal(value)}`
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    const random = this.#random
    if (!isNonNullType(type) && random.chance(0.05)) return null
    const nullable = getNullableType(type)
    if (isListType(nullable))
      return Array.from({ length: depth > 0 ? random.integer(0, 4) : 1 }, () => this.#value(nullable.ofType, depth - 1))
    if (nullable instanceof GraphQLInputObjectType) return this.#object(nullable, depth)
    if (nullable instanceof GraphQLEnumType) {
      const values = nullable.getValues()
      return new EnumValue(values[random.integer(0, values.length)]?.name ?? '')
    }
    return this.#scalar(String(nullable))
  }

  #object(type: GraphQLInputObjectType, depth: number): unknown {
    const fields = Object.values(type.getFields())
    const optional = fields.filter(field => !isRequiredInputField(field))
    const some = depth > 0 ? [optional[this.#random.integer(0, optional.length)]] : []
    const given = [...fields.filter(isRequiredInputField), ...some].flatMap(field => (field ? [field] : []))
    return Object.fromEntries(given.map(({ name, type: of }) => [name, this.#value(of, depth - 1)]))
  }

  #scalar(name: string): unknown {
    const random = this.#random
    const { ids, machineRef } = this.#known
    const minute = new Date(Date.now() - random.integer(0, 5_000) * 60_000).toISOString()
    switch (name) {
      case 'Int':
      case 'bigint':
      case 'numeric':
        return random.pick([machineRef, 0, 1, 3, 100, -1, 2147483647])
      case 'Boolean':
        return random.chance(0.5)
      case 'uuid':
        return ids[random.integer(0, ids.length)]
      case 'timestamptz':
        return minute
      default:
        return random.pick([minute.slice(0, 10), 'execution', 'system', 'a%', '', 'x'.repeat(300), '\u0000', 'Ä'])
    }
  }
}

/** A value of an enum: without quotes in a document, a string in variables. */
class EnumValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  toJSON(): string {
    return this.name
  }
}

function literal(value: unknown): string {
  if (value instanceof EnumValue) return value.name
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${literal(each)}`)
      .join(', ')}}`
  return JSON.stringify(value ?? null)
}

function isObject({ type }: GraphQLField<unknown, unknown>): boolean {
  return getNamedType(type) instanceof GraphQLObjectType
}

/** A document that is not valid, or very large. */
function broken(query: string, random: Random): string {
  switch (random.integer(0, 7)) {
    case 0:
      return query.slice(0, random.integer(0, query.length))
    case 1:
      return `${query} fragment A on Query { ...B } fragment B on Query { ...A }`
    case 2:
      return query.replace('{', `{ ${'machines { schedule { '.repeat(30)}name${' } }'.repeat(30)}`)
    case 3:
      return query.replace('{', `{ ${'x: __typename '.repeat(random.pick([20, 400, 5_000]))}`)
    case 4:
      return query.replace('{', `{ __schema { types { fields { type { ofType { fields { name } } } } } }`)
    case 5:
      return query.replaceAll('}', '} # \u0000')
    default:
      return `${query} ${query}`
  }
}
