type Json = Readonly<Record<string, unknown>>

/** Schemas with a title, by it: each stands once in the document, and what has it refers to it. */
export class NamedSchemas {
  readonly #components = new Map<string, unknown>()

  /** The part of a document with references for the schemas in it that have a title. Throws where two differ under one title. */
  refer<T extends Json>(part: T): T {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only schemas, deep within it, change
    return this.#refer(part) as T
  }

  /** What is referred to, by name. */
  get components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(each => this.#refer(each))
    if (typeof value !== 'object' || value === null) return value
    const referred = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#refer(each)]))
    const { title } = referred
    return typeof title === 'string' && isSchema(referred) ? this.#referenceTo(title, referred) : referred
  }

  #referenceTo(title: string, schema: Json): Json {
    const known = this.#components.get(title)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two schemas are called ${title}`)
    this.#components.set(title, schema)
    return { $ref: `#/components/schemas/${title}` }
  }
}

/** Parts of a document have titles too: `info`. */
function isSchema(value: Json): boolean {
  return 'type' in value || 'anyOf' in value || 'allOf' in value || 'enum' in value
}
