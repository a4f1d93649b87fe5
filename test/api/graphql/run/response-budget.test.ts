import { expect } from 'chai'
import { getOperationAST, parse } from 'graphql'
import { setTimeout as sleep } from 'node:timers/promises'
import { ResponseBudget } from '../../../../api/graphql/run/response-budget.ts'
import { executeOperation } from '../../../../api/graphql/run/execute.ts'
import { rootResolver, type ExecutionDeps } from '../../../../api/graphql/run/root-resolver.ts'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'
import { defaultGraphqlLimits } from '../../../../api/ports/graphql-limits.ts'
import { Records } from '../../../../processors/records/records.ts'
import { defaultCompanySettings } from '../../../../schema/records/company.ts'
import { asCompanyRef } from '../../../../schema/refs.ts'
import { useFreshDatabase } from '../../../support/database.ts'

const company = { id: 'company-1', ref: asCompanyRef(1), settings: defaultCompanySettings }
const args = '(args: {startDay: "2026-03-01", endDay: "2026-03-02"})'

describe('the response limits of GraphQL reports', () => {
  const store = useFreshDatabase()

  /** Requests reports, each of `items` items. */
  async function ask(
    query: string,
    { items = 1, responseBytes = 1_000_000, roomBytes = Infinity, isGone = false } = {},
  ) {
    let [atOnce, maxAtOnce, asked, roomLeft] = [0, 0, 0, roomBytes]
    const gone = new AbortController()
    const run = async () => {
      asked++
      maxAtOnce = Math.max(maxAtOnce, ++atOnce)
      await sleep(5)
      if (isGone) gone.abort()
      atOnce--
      const entity = { type: 'machine', id: 'm' }
      const item = { entity, aggregate: {}, items: [{ entity, aggregate: {}, items: [] }] }
      return { range: {}, aggregate: {}, entities: {}, items: Array.from({ length: items }, () => item) }
    }
    const deps: ExecutionDeps = {
      store: store(),
      records: new Records(),
      statuses: { get: () => null },
      recentValues: () => [],
      clock: Date.now,
      reports: { production: run, downtime: run, quality: run, alarm: run, incident: run },
      limits: { ...defaultGraphqlLimits, responseBytes },
    }
    const document = parse(query)
    const operation = getOperationAST(document)
    if (!operation) throw new Error('The document has no operation')
    const room = { reserve: (bytes: number) => (roomLeft -= bytes) >= 0 }
    const budget = new ResponseBudget(deps.limits, room)
    const context = { company, signal: gone.signal, isLate: () => false, budget }
    const { data, errors = [] } = await executeOperation(
      sharedSchema(),
      { document, operation, variables: {} },
      rootResolver(context, deps),
    )
    return { data, asked, maxAtOnce, codes: errors.map(({ extensions }) => extensions['code']) }
  }
  const reports = (count: number) =>
    `{ ${Array.from({ length: count }, (_, i) => `r${i}: downtimeReport${args} { items { entity { id } items { entity { id } } } }`).join(' ')} }`

  it('Reports in one GraphQL operation run one after the other', async () => {
    const { data, maxAtOnce, asked } = await ask(reports(4))
    expect([maxAtOnce, asked]).to.deep.equal([1, 4])
    const items = [{ entity: { id: 'm' }, items: [{ entity: { id: 'm' } }] }]
    expect(data).to.deep.equal({ r0: { items }, r1: { items }, r2: { items }, r3: { items } })
  })

  it('All reports in one GraphQL operation share one limit of characters', async () => {
    const one = await ask(reports(1), { items: 100, responseBytes: 15_000 })
    expect(one.codes).to.deep.equal([])
    const { codes } = await ask(reports(3), { items: 100, responseBytes: 15_000 })
    expect(codes).to.include('row-limit-exceeded')
  })

  it('No further report of a GraphQL operation runs after the client has disconnected', async () => {
    expect((await ask(reports(3), { isGone: true })).asked).to.equal(1)
  })

  it('Reports in a GraphQL operation count against the memory shared by all responses', async () => {
    expect((await ask(reports(1), { items: 100, roomBytes: 100_000 })).codes).to.deep.equal([])
    expect((await ask(reports(1), { items: 100, roomBytes: 30_000 })).codes).to.deep.equal(['rate-limit-exceeded'])
  })
})
