import { expect } from 'chai'
import { getNamedType, getNullableType, type GraphQLField, GraphQLObjectType, isListType } from 'graphql'
import { projectRecords } from '../../../support/project-records.ts'
import type { Store } from '../../../../clickhouse/client/store.ts'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'
import { freshDatabase } from '../../../support/database.ts'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'
import { related } from '../naive.ts'
import { naivePlant, type Plant, type Row, typeOf } from '../naive-plant.ts'

const nowMs = Date.parse('2026-03-03T12:00:00.000Z')
const maxRows = 250
/** Number of nested relations below a root list: the deepest selection that the default limits accept. */
const maxRelations = 9
const rejectWithinMs = 10_000

/** A root list, and two relations that lead from its type back to it. */
interface Pair {
  readonly root: string
  readonly relations: readonly [string, string]
  readonly isList: readonly [boolean, boolean]
}

type Field = GraphQLField<unknown, unknown>

const isList = ({ type }: Field) => isListType(getNullableType(type))

/** Returns the fields of a type that lead to rows, each with the type of these rows. */
function relationsOf(type: GraphQLObjectType): readonly (readonly [Field, GraphQLObjectType])[] {
  return Object.values(type.getFields()).flatMap(field => {
    const to = getNamedType(field.type)
    return to instanceof GraphQLObjectType && !field.name.endsWith('_aggregate') ? [[field, to] as const] : []
  })
}

/** Returns every pair of relations of the schema that leads back to its start, for each root list. */
function pairsOf(query: GraphQLObjectType): readonly Pair[] {
  return relationsOf(query).flatMap(([root, start]) => {
    // `MachineTP` is an alias of `machines`.
    if (!isList(root) || root.name === 'Machine') return []
    return relationsOf(start).flatMap(([there, middle]) =>
      relationsOf(middle).flatMap(([back, end]) =>
        end === start
          ? [
              {
                root: root.name,
                relations: [there.name, back.name] as const,
                isList: [isList(there), isList(back)] as const,
              },
            ]
          : [],
      ),
    )
  })
}

const query = sharedSchema().getQueryType()
if (!query) throw new Error('The schema has queries')
const pairs = pairsOf(query)

/** The text of a query that follows a pair repeatedly; `isAggregate`: the lists are nodes of aggregates. */
function textOf({ root, relations, isList }: Pair, depth: number, isAggregate: boolean): string {
  const inner = (level: number): string => {
    const at = level % 2 === 0 ? 0 : 1
    if (level === depth) return '__typename'
    const below = inner(level + 1)
    if (isAggregate && isList[at]) return `${relations[at]}_aggregate { nodes { ${below} } }`
    return `${relations[at]} { ${below} }`
  }
  return `{ ${root} { ${inner(0)} } }`
}

/** Number of rows in all lists of the response, counted by a walk through the plant that stops above the limit. */
function countRows({ root, relations, isList }: Pair, depth: number, plant: Plant): number {
  let count = 0
  const walk = (row: Row, name: string, level: number) => {
    if (level === depth || count > maxRows) return
    const at = level % 2 === 0 ? 0 : 1
    const relation = relations[at]
    const { ones, lists } = typeOf(name)
    const to = (ones[relation] ?? lists[relation])?.[0]
    if (to === undefined) throw new Error(`The plant has no ${name}.${relation}`)
    const found = related(relation, row, typeOf(name), plant)
    if (isList[at]) count += found.length
    for (const each of isList[at] ? found : found.slice(0, 1)) walk(each, to, level + 1)
  }
  const roots = plant.rows[root] ?? []
  count += roots.length
  for (const row of roots) walk(row, root, 0)
  return count
}

/** Number of rows in all lists of a response. */
function rowsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce<number>((sum, each) => sum + rowsIn(each), 0)
  return Array.isArray(value) ? inner + value.length : inner
}

interface Result {
  readonly data?: unknown
  /** Code of the first error of the response. */
  readonly code?: string
}

function resultOrThrow(text: string): Result {
  const { data, errors }: { data?: unknown; errors?: readonly { readonly extensions: { readonly code: string } }[] } =
    JSON.parse(text)
  const [error] = errors ?? []
  return { data, ...(error && { code: error.extensions.code }) }
}

type Send = (text: string) => Promise<Result>

describe('GraphQL relations that lead back to their start', function () {
  const plant = naivePlant(1, nowMs)
  let service: TestService
  let drop: () => Promise<void>
  const sockets: GraphqlSocket[] = []
  let [statements, rowsRead] = [0, 0]

  before(async () => {
    const database = await freshDatabase()
    const { store } = database
    drop = () => database.drop()
    const queryColumns: Store['queryColumns'] = async (sql, options) => {
      if (!options?.logComment?.startsWith('/graphql ')) return store.queryColumns(sql, options)
      statements++
      const found = await store.queryColumns(sql, options)
      rowsRead += found.rows
      return found
    }
    service = await startService({
      store: { ...store, queryColumns },
      nowMs,
      env: {
        TAKT_GRAPHQL_MAX_ROWS: String(maxRows),
        TAKT_GRAPHQL_SUBSCRIPTION_ROWS: String(maxRows),
        // Nodes of an aggregate are two levels deeper.
        TAKT_GRAPHQL_MAX_DEPTH: '20',
        TAKT_GRAPHQL_RATE_LIMIT: '0',
        TAKT_GRAPHQL_SUBSCRIPTION_LOAD: '1000',
      },
    })
    const { body } = await service.call('GET', '/accounts/current')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of the service
    const { companyId } = body as { readonly companyId: string }
    const { entry, write } = plant
    const changes = entry.changes.map(change => ({ ...change, after: { ...change.after, companyId } }))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same records, of the service's company
    const projected = { ...entry, command: { ...entry.command, companyId }, changes } as unknown as typeof entry
    await projectRecords(store, [{ ...projected, commandOffset: 1000 }])
    await write(store)
  })
  after(async () => {
    for (const socket of sockets) socket.close()
    await service?.stop()
    await drop?.()
  })

  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const overPost: Send = async text => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: text }),
    })
    return resultOrThrow(await response.text())
  }
  const overGet: Send = async text => {
    const response = await fetch(`${service.url}/graphql?query=${encodeURIComponent(text)}`, { headers })
    return resultOrThrow(await response.text())
  }
  const overSocket = (protocol: 'graphql-transport-ws' | 'graphql-ws'): Send => {
    let socket: GraphqlSocket | undefined
    let last = 0
    return async text => {
      if (!socket) sockets.push((socket = await GraphqlSocket.join(service.url, testKey, { protocol })))
      const { messages } = socket
      const id = `${++last}`
      socket.start(id, text)
      await socket.until(() => messages.some(message => message.id === id))
      const [code] = socket.codes(id)
      if (code !== undefined) return { code }
      return resultOrThrow(JSON.stringify(messages.find(message => message.id === id)?.payload))
    }
  }

  it('The GraphQL schema has at least 38 pairs of relations that lead back to their start', () => {
    expect(pairs.length).to.be.at.least(38)
  })

  for (const [transport, send, isAggregate] of [
    ['HTTP POST', overPost, false],
    ['HTTP POST, by nodes of aggregates', overPost, true],
    ['HTTP GET', overGet, false],
    ['WebSocket graphql-transport-ws', overSocket('graphql-transport-ws'), false],
    ['WebSocket graphql-ws', overSocket('graphql-ws'), false],
  ] as const)
    it(`Over ${transport}, the row limit counts a row as often as the response contains it`, async () => {
      let [answered, rejected] = [0, 0]
      for (const pair of pairs) {
        if (isAggregate && !pair.isList.includes(true)) continue
        const counts = Array.from({ length: maxRelations + 1 }, (_, depth) => countRows(pair, depth, plant))
        const deepest = counts.findLastIndex(count => count <= maxRows)
        // The shallowest rejected query shows the work until the limit is known.
        let untilKnown = Infinity
        for (const depth of new Set([deepest, Math.min(deepest + 1, maxRelations), maxRelations])) {
          const text = textOf(pair, depth, isAggregate)
          ;[statements, rowsRead] = [0, 0]
          const startedMs = performance.now()
          const { data, code } = await send(text)
          expect(performance.now() - startedMs, text).to.be.below(rejectWithinMs)
          const count = counts[depth] ?? 0
          if (count <= maxRows) {
            expect(code, text).to.equal(undefined)
            expect(rowsIn(data), text).to.equal(count)
            answered++
          } else {
            expect(code, text).to.equal('row-limit-exceeded')
            expect(data ?? null, text).to.equal(null)
            expect(statements, `${text}: statements after the limit was exceeded`).to.be.at.most(untilKnown)
            expect(rowsRead, `${text}: rows read`).to.be.at.most(maxRows + statements)
            untilKnown = Math.min(untilKnown, statements)
            rejected++
          }
        }
      }
      expect(answered).to.be.above(30)
      expect(rejected).to.be.above(10)
    })
})
