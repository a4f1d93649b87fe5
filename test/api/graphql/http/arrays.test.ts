import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import { BatchHttpLink } from '@apollo/client/link/batch-http'
import { defaultGraphqlLimits, type GraphqlLimits } from '../../../../api/ports/graphql-limits.ts'
import { projectRecords } from '../../../support/project-records.ts'
import { adminKey, startApi, type TestApi } from '../../../support/api.ts'
import { useFreshDatabase } from '../../../support/database.ts'

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

const company = { query: '{ Company { __typename } }' }
const machines = { query: '{ machines { name } }' }

describe('arrays of GraphQL operations', function () {
  const store = useFreshDatabase()
  let api: TestApi

  const start = async (limits: Partial<GraphqlLimits> = {}) => {
    api = await startApi({ store: store(), settings: { graphql: { ...defaultGraphqlLimits, ...limits } } })
    const companyId = api.registrar.company.id
    const changes = Array.from({ length: 3 }, (_, i) => {
      const id = randomUUID()
      return { kind: 'machine', id, before: null, after: { id, ref: i, companyId, name: `Mill ${i}` } }
    })
    const command = { id: randomUUID(), type: 'machine.put', companyId, at: Date.now(), payload: {}, actor: null }
    const entry = { command, commandOffset: ++offset, changes, outcome: { ok: true } }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the fields that GraphQL reads
    await projectRecords(store(), [entry as never])
  }
  let offset = 0
  const send = async (body: unknown, accept = 'application/json') => {
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
    })
    const { status, headers } = response
    const results: unknown = JSON.parse(await response.text())
    return { status, headers, results }
  }
  const codes = (results: unknown) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of the service
    (results as readonly Result[]).map(({ errors }) => errors?.[0]?.extensions.code ?? null)

  afterEach(() => api?.close())

  it('An array of operations returns the array of their results in the same order', async () => {
    await start()
    const { status, headers, results } = await send([machines, company, { query: '{ nothing }' }, machines])
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(results).to.have.length(4)
    expect(codes(results)).to.deep.equal([null, null, 'validation-failed', null])
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of the service
    const [first, , , last] = results as readonly Result[]
    expect(first?.data?.['machines']).to.have.length(3)
    expect(last).to.deep.equal(first)
  })

  it('Each operation of an array has its own operation name and variables', async () => {
    await start()
    const query = 'query A($n: Int) { machines(limit: $n) { name } } query B { Company { __typename } }'
    const { results } = await send([
      { query, operationName: 'A', variables: { n: 1 } },
      { query, operationName: 'B', variables: {} },
    ])
    expect(codes(results)).to.deep.equal([null, null])
    expect(results).to.have.nested.property('[0].data.machines.length', 1)
    expect(results).to.have.nested.property('[1].data.Company')
  })

  it('An invalid operation of an array has an error at its index', async () => {
    await start()
    const { status, results } = await send([1, null, [], [machines], {}, { query: 1 }, machines])
    expect(status).to.equal(200)
    expect(codes(results)).to.deep.equal([...Array.from({ length: 6 }, () => 'bad-request'), null])
  })

  it('The operations of an array share the row limit of one request', async () => {
    await start({ rows: 7 })
    const { results } = await send([machines, machines, machines, company])
    expect(codes(results)).to.deep.equal([null, null, 'row-limit-exceeded', 'row-limit-exceeded'])
  })

  it('The operations of an array share the byte limit of one response', async () => {
    await start({ responseBytes: 170 })
    expect(codes((await send([machines, machines])).results)).to.deep.equal([null, null])
    expect(codes((await send([machines, machines, machines])).results)).to.deep.equal([
      null,
      null,
      'row-limit-exceeded',
    ])
  })

  it('The operations of an array share the memory limit of one request', async () => {
    await start({ answersBytes: 600 })
    expect(codes((await send([machines, machines])).results)).to.deep.equal([null, null])
    expect(codes((await send([machines, machines, machines])).results)).to.deep.equal([
      null,
      null,
      'rate-limit-exceeded',
    ])
  })

  it('The operations of an array share the time limit of one request', async () => {
    await start({ withinMs: 1 })
    const { results } = await send(Array.from({ length: 50 }, () => machines))
    expect(codes(results).slice(1)).to.deep.equal(Array.from({ length: 49 }, () => 'time-limit-exceeded'))
  })

  it('Each operation of an array counts as one request of the minute', async () => {
    await start({ requestsPerMinute: 5 })
    const { status, headers } = await send([company, company, company])
    expect(status).to.equal(200)
    expect(headers.get('ratelimit-remaining')).to.equal('2')
    const refused = await send([company, company, company])
    expect(refused.status).to.equal(429)
    expect(refused.results).to.have.nested.property('errors[0].extensions.code', 'rate-limit-exceeded')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
  })

  it('An array of 1 to 100 operations is accepted, and any other number is rejected', async () => {
    await start()
    expect((await send(Array.from({ length: 100 }, () => company))).results).to.have.length(100)
    for (const count of [0, 101]) {
      const { status, results } = await send(Array.from({ length: count }, () => company))
      expect(status).to.equal(400)
      expect(results).to.have.nested.property('errors[0].extensions.code', 'bad-request')
    }
  })

  it('The batch link of Apollo Client works with arrays of operations', async () => {
    await start()
    const link = new BatchHttpLink({ uri: `${api.url}/graphql`, headers: { authorization: `Bearer ${adminKey}` } })
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    const query = gql('{ machines { name } }')
    const other = gql('{ Company { __typename } }')
    const [first, second] = await Promise.all([client.query({ query }), client.query({ query: other })])
    expect(first.data).to.have.nested.property('machines.length', 3)
    expect(second.data).to.have.property('Company')
  })
})
