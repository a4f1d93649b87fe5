import type { OpenApi } from '../../api/http/openapi.ts'
import type { Random } from '../../demo/simulate/random.ts'
import { encode, mutateText, mutateValue } from './mutate.ts'
import { valueMaker, type Schema, type ValueMaker } from './values.ts'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[]
  /** Content types of the body with their schemas. */
  readonly bodies: readonly (readonly [string, Schema])[]
}

/** Creates requests of all operations of the document cyclically, most of them with an unusual value. */
export function requestMaker(document: OpenApi, random: Random, ids: readonly string[]): () => FuzzRequest {
  const operations = operationsOf(document)
  const values = valueMaker(document, random, ids)
  let turn = random.integer(0, operations.length)
  return () => {
    const operation = operations[turn++ % operations.length]
    if (!operation) throw new Error('The document has no operation')
    return requestOf(operation, values, random, ids)
  }
}

function requestOf(operation: Operation, values: ValueMaker, random: Random, ids: readonly string[]): FuzzRequest {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, () => encodeURIComponent(pathValue(random, ids)))
  const query = queryOf(operation, values, random)
  const method = random.chance(0.02)
    ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    : operation.method
  const oddHeaders = random.chance(0.05) ? { 'x-odd': 'y'.repeat(random.pick([10, 4000])) } : {}
  if (operation.bodies.length === 0) return { method, path: path + query, headers: oddHeaders, body: null }
  const [contentType, schema] = operation.bodies[random.integer(0, operation.bodies.length)] ?? ['application/json', {}]
  const { body, headers } = bodyOf(contentType, schema, values, random)
  return { method, path: path + query, headers: { 'content-type': contentType, ...headers, ...oddHeaders }, body }
}

function bodyOf(contentType: string, schema: Schema, values: ValueMaker, random: Random) {
  let value = values.make(schema)
  for (let times = random.integer(0, 4); times > 0; times--) value = mutateValue(value, random)
  const text =
    contentType.endsWith('octet-stream') && typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return encode(random.chance(0.15) ? mutateText(text, random) : Buffer.from(text), random)
}

function pathValue(random: Random, ids: readonly string[]): string {
  if (ids.length > 0 && random.chance(0.8)) return ids[random.integer(0, ids.length)] ?? 'x'
  return random.pick(['1', '-1', '99999999999999999999', '__proto__', '%00', '..', 'ä', 'x'.repeat(300)])
}

function queryOf({ parameters }: Operation, values: ValueMaker, random: Random): string {
  const pairs = parameters
    .filter(parameter => parameter.in === 'query' && random.chance(0.5))
    .flatMap(({ name, schema }) => {
      const made = random.chance(0.7) ? values.make(schema ?? {}) : mutateValue('x', random)
      const text = typeof made === 'string' ? made : (JSON.stringify(made) ?? '')
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(Buffer.from(text).toString().slice(0, 3000))}`
      return random.chance(0.1) ? [pair, pair] : [pair]
    })
  if (random.chance(0.03)) pairs.push(...Array.from({ length: 300 }, (_, index) => `a[${index}]=1`))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function operationsOf(document: OpenApi): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = child(child(operation, 'requestBody'), 'content')
      return {
        method: method.toUpperCase(),
        path,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the document is made
        parameters: (operation['parameters'] ?? []) as Operation['parameters'],
        bodies: Object.entries(content).map(([type, { schema }]) => [type, child({ schema }, 'schema')] as const),
      }
    }),
  )
}

function child(at: unknown, name: string): Readonly<Record<string, Schema>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects of the document
  const found = (at as Readonly<Record<string, unknown>> | undefined)?.[name]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects of the document
  return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, Schema>>) : {}
}
