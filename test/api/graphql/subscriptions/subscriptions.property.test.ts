import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { hashKey } from '../../../../api/auth/key.ts'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { caller, startService, type TestService, testKey } from '../../../support/service.ts'

const machines = Array.from({ length: 3 }, () => randomUUID())
const theirMachines = machines.map(() => randomUUID())
const theirKey = 'a-key-of-the-other-company-in-these-tests'
/** A text that all data of the other company contains, and no other data. */
const mark = 'THEIRS'
const keys = ['load', 'execution', 'feed']

/** Bodies of operations, each sent as a query and as a subscription. */
const bodies = [
  '{ machines(order_by: {name: desc}) { name make machineGroups { name } } }',
  '{ currentStates(where: {metricKey: {_in: ["load", "status"]}}) { machine { name } metricKey value } }',
  '{ machines(where: {currentStates: {metricKey: {_eq: "MasterExecution"}, value: {_eq: "ACTIVE"}}}) { name } }',
  '{ currentStates_aggregate(where: {metricKey: {_eq: "feed"}}) { aggregate { count max { value } } nodes { value startAt } } }',
  '{ machines(limit: 2) { name metrics { metricKey type } annotations_aggregate { aggregate { count } } } }',
  '{ annotations { note annotationType { name } machine { name } } }',
  `{ machines_by_pk(machineId: "${machines[0]}") { name currentStates { metricKey value } annotations { note } } }`,
  '{ Company { name } }',
  `{ currentStates(where: {_or: [{machine: {machineId: {_in: ["${machines[0]}", "${machines[1]}"]}}}, {value: {_eq: "ACTIVE"}}]}) { machineRef metricKey type subtype v: value __typename } }`,
  '{ machines(order_by: {name: asc}) { name currentStates(where: {_not: {metricKey: {_nin: ["load", "MasterExecution"]}}}) { metricKey value } } }',
] as const

const which = fc.nat(machines.length - 1)
const changes = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sample'),
      which,
      key: fc.constantFrom(...keys),
      value: fc.constantFrom('ACTIVE', 'READY', '1', '2'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename'), which, name: fc.constantFrom('A', 'B', 'C') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('annotate'), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('theirs'), which, key: fc.constantFrom(...keys) }) },
)

describe('GraphQL subscriptions after random changes', function () {
  let service: TestService
  let socket: GraphqlSocket
  /** The socket of another company, whose machines have the same names. */
  let theirSocket: GraphqlSocket
  let atMs = Date.now()
  before(async () => {
    service = await startService({ env: { TAKT_GRAPHQL_RATE_LIMIT: '0', TAKT_GRAPHQL_SUBSCRIPTION_LOAD: '200' } })
    for (const [i, id] of machines.entries()) await call('PUT', `/machines/${id}`, { name: `M${i}` })
    await call('POST', '/downtime-reasons', { name: 'Waiting', color: '#ff0000' })
    const second = { companyName: 'Second', adminKeyHash: hashKey(theirKey) }
    await service.commands.submit('company.create', second, { companyId: null })
    const theirs = caller(service.url, theirKey)
    for (const [i, id] of theirMachines.entries()) await theirs('PUT', `/machines/${id}`, { name: `M${i}`, make: mark })
    await theirs('POST', '/downtime-reasons', { name: mark, color: '#ff0000' })
    socket = await GraphqlSocket.join(service.url, testKey)
    theirSocket = await GraphqlSocket.join(service.url, theirKey)
    for (const [i, body] of bodies.entries())
      for (const each of [socket, theirSocket]) each.start(`${i}`, `subscription ${body}`)
  })
  after(async () => {
    socket.close()
    theirSocket.close()
    await service.stop()
  })
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await service.call(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).to.be.below(300)
  }

  const apply = async (change: { kind: string; which: number; key?: string; value?: string; name?: string }) => {
    const machineId = machines[change.which]
    // Each sample is newer than all earlier ones.
    atMs = Math.max(atMs + 1, Date.now())
    const timestamp = new Date(atMs).toISOString()
    const { key = '', value } = change
    if (change.kind === 'sample')
      await call('POST', '/ingest/samples', [{ machineId, timestamp, key, type: key.toUpperCase(), value }])
    if (change.kind === 'theirs') {
      const sample = { machineId: theirMachines[change.which], timestamp, key, type: key.toUpperCase() }
      await caller(service.url, theirKey)('POST', '/ingest/samples', [{ ...sample, value: `${mark} ${atMs}` }])
    }
    if (change.kind === 'rename') await call('PUT', `/machines/${machineId}`, { name: change.name })
    if (change.kind === 'annotate') {
      const [startAt, endAt] = [atMs - 60_000, atMs - 59_000].map(ms => new Date(ms).toISOString())
      await service.call('POST', '/annotations', { machineId, reasonId: 1, startAt, endAt, note: timestamp })
    }
  }
  const ask = async (body: string): Promise<unknown> => {
    const { body: answer } = await service.call('POST', '/graphql', { query: body })
    return JSON.parse(JSON.stringify(answer)).data
  }
  const showsPresent = async (i: number, body: string) => {
    const asked = JSON.stringify(await ask(body))
    return JSON.stringify(socket.results(`${i}`).at(-1)) === asked
  }

  it('After random changes, a GraphQL subscription shows what a query returns', () =>
    fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 6 }), async some => {
        for (const change of some) await apply(change)
        await service.settled()
        for (const [i, body] of bodies.entries()) {
          const untilMs = Date.now() + 60_000
          while (!(await showsPresent(i, body)) && Date.now() < untilMs)
            await new Promise(resolve => setTimeout(resolve, 50))
          expect(socket.results(`${i}`).at(-1), body).to.deep.equal(await ask(body))
        }
      }),
      { numRuns: Number(process.env['TAKT_FUZZ_GRAPHQL'] ?? 5) },
    ))

  it('GraphQL subscriptions contain no data of another company', async () => {
    for (const key of keys) await apply({ kind: 'theirs', which: 0, key })
    const following = bodies.findIndex(body => body.includes('"feed"'))
    await theirSocket.until(() => JSON.stringify(theirSocket.results(`${following}`).at(-1)).includes(mark))
    expect(JSON.stringify(socket.messages)).not.to.include(mark)
    const theirText = JSON.stringify(theirSocket.messages)
    for (const own of ['My plant', '"ACTIVE"', ...machines]) expect(theirText).not.to.include(own)
  })

  it('A GraphQL subscription never sends the same result twice in a row', () => {
    for (const i of bodies.keys()) {
      const results = socket.results(`${i}`).map(result => JSON.stringify(result))
      for (let at = 1; at < results.length; at++) expect(results[at]).not.to.equal(results[at - 1])
    }
  })
})
