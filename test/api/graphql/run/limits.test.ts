import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { defaultGraphqlLimits, type GraphqlLimits } from '../../../../api/ports/graphql-limits.ts'
import { projectRecords } from '../../../support/project-records.ts'
import type { Store } from '../../../../clickhouse/client/store.ts'
import { deferred } from '../../../../shared/async/deferred.ts'
import { adminKey, type ApiChanges, startApi, type TestApi } from '../../../support/api.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { naivePlant } from '../naive-plant.ts'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly data: Readonly<Record<string, unknown>> | null
  readonly code: string | undefined
  readonly message: string | undefined
}

describe('GraphQL limits', () => {
  const store = useFreshDatabase()
  let statements = 0
  let delayMs = 0
  let api: TestApi

  /** The store; the test counts and delays its statements. */
  const watched = (): Store => ({
    ...store(),
    queryColumns: async (sql, options) => {
      statements++
      if (delayMs > 0) await sleep(delayMs, undefined, { signal: options?.signal })
      return store().queryColumns(sql, options)
    },
  })
  const start = async (limits: Partial<GraphqlLimits>, changes: ApiChanges = {}) => {
    api = await startApi({
      store: watched(),
      settings: { graphql: { ...defaultGraphqlLimits, ...limits } },
      ...changes,
    })
  }
  const ask = async (query: string, { key = adminKey, accept = 'application/json' } = {}): Promise<Answer> => {
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
      body: JSON.stringify({ query }),
    })
    const {
      data = null,
      errors,
    }: { data?: Answer['data']; errors?: { message: string; extensions: { code: string } }[] } = JSON.parse(
      await response.text(),
    )
    const [error] = errors ?? []
    return {
      status: response.status,
      headers: response.headers,
      data,
      code: error?.extensions.code,
      message: error?.message,
    }
  }

  /** Writes three operators to the store. */
  const addOperators = async (name = 'Ann') => {
    const companyId = api.registrar.company.id
    const changes = Array.from({ length: 3 }, (_, i) => ({
      kind: 'operator',
      id: `o${i}`,
      before: null,
      after: { id: `o${i}`, ref: i, companyId, name },
    }))
    const { entry } = naivePlant(3, 0)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- records as far as GraphQL reads them
    const projected = {
      ...entry,
      command: { ...entry.command, companyId },
      commandOffset: 100,
      changes,
    } as unknown as typeof entry
    await projectRecords(store(), [projected])
  }

  before(async () => {
    const { entry, write } = naivePlant(1, Date.parse('2026-03-03T12:00:00.000Z'))
    await projectRecords(store(), [entry])
    await write(store())
  })
  beforeEach(() => {
    statements = 0
    delayMs = 0
  })
  afterEach(() => api?.close())

  it('A GraphQL operation whose client disconnects logs no error, and one that fails logs an error', async () => {
    const lines: string[] = []
    const log = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(line.toString())
        done()
      },
    })
    const failed = () => lines.filter(line => line.includes('GraphQL operation failed')).length
    const asked = deferred<AbortSignal | undefined>()
    let isBroken = false
    const waiting: Store = {
      ...store(),
      queryColumns: async (_sql, options) => {
        if (isBroken) throw new Error('The disk failed')
        asked.resolve(options?.signal)
        await sleep(60_000, undefined, { signal: options?.signal })
        throw new Error('The query was not aborted')
      },
    }
    await start({}, { store: waiting, logger: pino({ level: 'error' }, log) })
    const gone = new AbortController()
    const request = fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ annotations { note } }' }),
      signal: gone.signal,
    }).catch(() => null)
    const signal = await asked.promise
    gone.abort()
    await request
    if (signal && !signal.aborted) await once(signal, 'abort')
    isBroken = true
    // The later operation fails after the response to the earlier one.
    expect((await ask('{ operatorRuns { startAt } }')).code).to.equal('unexpected')
    expect(failed()).to.equal(1)
    expect(lines.join()).to.include('The disk failed')
  })

  it('A GraphQL operation is rejected if all its lists together exceed the row limit', async () => {
    await start({ rows: 4 })
    await api.registrar.perform('machine.put', { id: randomUUID(), name: 'Mill' })
    await addOperators()
    expect((await ask('{ operators { name } }')).data).to.have.nested.property('operators.length', 3)
    const { code, message } = await ask('{ a: operators { name } b: operators { name } }')
    expect([code, message]).to.deep.equal([
      'row-limit-exceeded',
      'The response has more than 4 rows: request fewer rows, or set a limit',
    ])
    expect((await ask('{ a: operators { name } b: operators(limit: 1) { name } }')).code).to.equal(undefined)
  })

  it('A GraphQL operation is rejected if its response, including field names, exceeds the byte limit', async () => {
    await start({ responseBytes: 100 })
    await addOperators()
    expect((await ask('{ operators { name } }')).code).to.equal(undefined)
    expect((await ask(`{ operators { ${'n'.repeat(20)}: name } }`)).code).to.equal('row-limit-exceeded')
    const { code, message } = await ask('{ operators { a: name b: name c: name d: name e: name f: name } }')
    expect([code, message]).to.deep.equal([
      'row-limit-exceeded',
      'The response has more than 100 bytes: request fewer rows or fields',
    ])
  })

  it('ClickHouse stops a statement whose result exceeds the response limit of GraphQL', async () => {
    const lines: string[] = []
    const log = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(line.toString())
        done()
      },
    })
    await start({ responseBytes: 2_000, rows: 5 }, { logger: pino({ level: 'error' }, log) })
    const longName = 'n'.repeat(1_500)
    await addOperators(longName)
    const { code, message } = await ask('{ operators { name } }')
    expect([code, message]).to.deep.equal([
      'row-limit-exceeded',
      'The query reads too many rows or uses too much memory',
    ])
    const one = await ask('{ operators(limit: 1) { a: name b: name } }')
    expect(one.message).to.equal('The response has more than 2000 bytes: request fewer rows or fields')
    expect(lines, 'logged errors').to.deep.equal([])
  })

  it('A GraphQL response uses memory shared by all responses until it ends', async () => {
    await start({ answersBytes: 330 })
    await addOperators()
    for (let i = 0; i < 10; i++) expect((await ask('{ operators { name } }')).code).to.equal(undefined)
    expect((await ask('{ operators { a: name b: name } }')).code).to.equal('rate-limit-exceeded')
  })

  it('Aggregates count as values against the GraphQL row limit', async () => {
    await start({ rows: 3 })
    await addOperators()
    const counts = (count: number) => Array.from({ length: count }, (_, i) => `c${i}: count`).join(' ')
    const query = (count: number) => `{ operators { operatorRuns_aggregate { aggregate { ${counts(count)} } } } }`
    expect((await ask(query(10))).code).to.equal(undefined)
    expect((await ask(query(25))).code).to.equal('row-limit-exceeded')
  })

  it('A GraphQL operation that exceeds the time limit is stopped', async () => {
    await start({ withinMs: 200 })
    delayMs = 30_000
    const { code, message, status } = await ask('{ machines { name } }')
    expect([status, code, message]).to.deep.equal([200, 'time-limit-exceeded', 'The query took too long'])
  })

  it('A GraphQL operation that exceeds the time limit after its last row is read has no result', async () => {
    const slow: Store = {
      ...store(),
      queryColumns: async (sql, options) => {
        const found = await store().queryColumns(sql, options)
        await sleep(250)
        return found
      },
    }
    await start({ withinMs: 200 }, { store: slow })
    await addOperators()
    const { code, data } = await ask('{ operators { name } }')
    expect([code, data]).to.deep.equal(['time-limit-exceeded', null])
  })

  it('A GraphQL operation that is too deep or too large is rejected before the store is queried', async () => {
    await start({ depth: 3, lists: 15, fields: 60 })
    const report = 'downtimeReport(args: {startDay: "2026-03-01", endDay: "2026-03-02"}) { items { entity { id } } }'
    expect((await ask(`{ a: ${report} b: ${report} }`)).code).to.equal('node-limit-exceeded')
    expect((await ask(`{ a: ${report} }`)).code).to.equal(undefined)
    await api.close()
    statements = 0
    await start({ depth: 3, lists: 2, fields: 6 })
    for (const [query, code] of [
      ['{ machines { annotations { machine { machineGroups { name } } } } }', 'depth-limit-exceeded'],
      ['{ machines { name } operators { name } metrics { type } }', 'node-limit-exceeded'],
      ['{ machines { a: name b: name c: name d: name e: name f: name } }', 'node-limit-exceeded'],
      [
        'fragment F on MachineTP { a: name b: name } { x: machines { ...F ...F } y: machines { ...F } }',
        'node-limit-exceeded',
      ],
      [
        '{ machines_aggregate { aggregate { count } nodes { annotations { note } rejects { count } } } }',
        'node-limit-exceeded',
      ],
    ] as const)
      expect([(await ask(query)).code, statements], query).to.deep.equal([code, 0])
    expect((await ask('{ machines { name annotations { note } } }')).code).to.equal(undefined)
  })

  it('The GraphQL requests per minute are limited per company, across all its keys', async () => {
    await start({ requestsPerMinute: 3 })
    const second = api.addKey(['reporting'])
    for (const key of [adminKey, second, adminKey])
      expect((await ask('{ Company { name } }', { key })).status).to.equal(200)
    const { status, code, headers } = await ask('{ Company { name } }', { key: second })
    expect([status, code]).to.deep.equal([429, 'rate-limit-exceeded'])
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
  })

  it('A key without the scope receives access-denied, with 200 or 403 depending on the accepted media type', async () => {
    await start({})
    const key = api.addKey(['machine'])
    expect(await ask('{ Company { name } }', { key })).to.include({ status: 200, code: 'access-denied' })
    const accept = 'application/graphql-response+json'
    expect(await ask('{ Company { name } }', { key, accept })).to.include({ status: 403, code: 'access-denied' })
  })

  it('Every error of a malformed GraphQL request has a code', async () => {
    await start({})
    const json = 'application/json'
    const two = 'query A { Company { name } } query B { Company { name } }'
    const posts: readonly (readonly [type: string, body: string])[] = [
      [json, 'no JSON'],
      [json, ''],
      [json, '{}'],
      [json, '[]'],
      [json, 'null'],
      [json, '{"query": 1}'],
      [json, '{"query": ""}'],
      [json, '{"query": "{ machines { name"}'],
      [json, '{"query": "{ Company { name } }", "variables": "x"}'],
      [json, JSON.stringify(Array.from({ length: 101 }, () => ({ query: '{ Company { name } }' })))],
      [json, JSON.stringify({ query: two })],
      [json, JSON.stringify({ query: two, operationName: 'C' })],
      [json, JSON.stringify({ query: 'query ($a: uuid!) { machines_by_pk(machineId: $a) { name } }' })],
      [json, JSON.stringify({ query: 'mutation { a }' })],
      [json, JSON.stringify({ query: 'subscription { Company { name } }' })],
      [json, JSON.stringify({ query: `{ ${'a '.repeat(30_000)} }` })],
      ['text/plain', JSON.stringify({ query: '{ Company { name } }' })],
      ['multipart/form-data; boundary=x', '--x--'],
    ]
    const authorization = `Bearer ${adminKey}`
    const gets = [
      '',
      '?query=',
      '?query={Company{name}}&variables=x',
      '?query=mutation{a}',
      `?query=${encodeURIComponent(two)}`,
    ]
    for (const accept of [json, 'application/graphql-response+json']) {
      const asked = [
        ...posts.map(
          ([type, body]) =>
            ['', { method: 'POST', headers: { authorization, accept, 'content-type': type }, body }] as const,
        ),
        ...gets.map(path => [path, { headers: { authorization, accept } }] as const),
      ]
      for (const [path, init] of asked) {
        const response = await fetch(`${api.url}/graphql${path}`, init)
        const { errors }: { errors?: readonly { extensions?: { code?: unknown } }[] } = JSON.parse(
          await response.text(),
        )
        const what = `${accept} ${path} ${JSON.stringify(init).slice(0, 300)}`
        expect(errors, what).to.have.length.above(0)
        for (const { extensions } of errors ?? []) {
          expect(extensions?.code, what).to.match(/^[a-z]+(-[a-z]+)*$/)
          expect(extensions?.code, what).to.not.equal('unexpected')
        }
      }
    }
  })

  it('Each list of a GraphQL query is one statement, regardless of the number of its rows', async () => {
    await start({})
    const count = async (query: string) => {
      statements = 0
      expect((await ask(query)).code).to.equal(undefined)
      return statements
    }
    const nested = (args: string) => `{ machines${args} { name machineGroups { name machines { name } }
      annotations { annotationType { name } } activitySets { operation { name } activities { startAt } }
      alarms_aggregate { aggregate { count } } } }`
    // A list without rows has no nested rows to query.
    expect(await count(nested('(where: {name: {_eq: "none"}})'))).to.equal(1)
    expect(await count('{ operators { name } machines(limit: 0) { name } }')).to.equal(1)
    const companyId = api.registrar.company.id
    const { entry } = naivePlant(1, Date.parse('2026-03-03T12:00:00.000Z'))
    const changes = entry.changes.map(change => ({ ...change, after: { ...change.after, companyId } }))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same records, of another company
    const projected = {
      ...entry,
      command: { ...entry.command, companyId },
      commandOffset: 200,
      changes,
    } as unknown as typeof entry
    await projectRecords(store(), [projected])
    expect(await count(nested('(limit: 1)'))).to.be.at.most(7)
    expect(await count(nested(''))).to.equal(7)
  })
})
