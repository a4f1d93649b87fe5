import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { getNamedType, isNonNullType } from 'graphql'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { hashKey } from '../../../../api/auth/key.ts'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'
import { BatchScheduler } from '../../../../processors/partitions/batch-scheduler.ts'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { caller, startService, type TestService, testKey } from '../../../support/service.ts'

const otherKey = 'a-key-of-the-other-company-in-these-tests'
const protocols = ['graphql-transport-ws', 'graphql-ws'] as const

describe('GraphQL subscriptions', function () {
  let service: TestService
  let other: TestService['call']
  const mill = randomUUID()
  const theirs = randomUUID()
  const open: GraphqlSocket[] = []

  const join = async (options: Parameters<typeof GraphqlSocket.join>[2] = {}, key = testKey) => {
    const socket = await GraphqlSocket.join(service.url, key, options)
    open.push(socket)
    return socket
  }
  const put = (id: string, name: string, call = service.call) => call('PUT', `/machines/${id}`, { name })
  const send = async (machineId: string, key: string, value: string, call = service.call, atMs = Date.now()) => {
    const sample = { machineId, timestamp: new Date(atMs).toISOString(), key, type: key.toUpperCase(), value }
    const answer = await call('POST', '/ingest/samples', [sample])
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
  }

  /** Returns whether the service inserts raw samples at short intervals. */
  let isRawWatched = () => false
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`
  const { follow } = BatchScheduler.prototype

  before(async () => {
    BatchScheduler.prototype.follow = function (this: BatchScheduler, subscribers) {
      isRawWatched = () => subscribers.rawSamples()
      follow.call(this, subscribers)
    }
    service = await startService({})
    other = caller(service.url, otherKey)
    await service.commands.submit(
      'company.create',
      { companyName: 'Second', adminKeyHash: hashKey(otherKey) },
      { companyId: null },
    )
    await put(mill, 'Mill')
    await put(theirs, 'Mill', other)
  })
  after(async () => {
    BatchScheduler.prototype.follow = follow
    await service.stop()
  })
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close()
  })

  for (const protocol of protocols)
    describe(`over ${protocol}`, () => {
      it('A GraphQL subscription sends its first result immediately, and the next one after a change', async () => {
        const socket = await join({ protocol })
        socket.start('1', 'subscription { machines(order_by: {name: asc}) { name } }')
        await socket.until(() => socket.results('1').length === 1)
        expect(socket.results('1')).to.deep.equal([{ machines: [{ name: 'Mill' }] }])
        await service.call('POST', '/graphql', { query: '{ machines { name } }' })
        await put(mill, 'Mill 2')
        await socket.until(() => socket.results('1').length === 2)
        expect(socket.results('1')[1]).to.deep.equal({ machines: [{ name: 'Mill 2' }] })
        await put(mill, 'Mill')
        await socket.until(() => socket.results('1').length === 3)
      })

      it('GraphQL queries and introspection succeed over a WebSocket', async () => {
        const socket = await join({ protocol, path: '/v1/graphql' })
        socket.start('q', 'query ($n: String) { machines(where: {name: {_eq: $n}}) { name __typename } }', {
          n: 'Mill',
        })
        socket.start('i', '{ __schema { subscriptionType { name } } }')
        await socket.until(() => socket.messages.filter(({ type }) => type === 'complete').length === 2)
        expect(socket.results('q')).to.deep.equal([{ machines: [{ name: 'Mill', __typename: 'MachineTP' }] }])
        expect(socket.results('i')).to.deep.equal([{ __schema: { subscriptionType: { name: 'Subscription' } } }])
      })

      it('GraphQL subscriptions start and stop at every path, with the token in either form', async () => {
        for (const path of ['/graphql', '/v1/graphql', '/proxy/graphql']) {
          const socket = new GraphqlSocket(service.url, { protocol, path })
          open.push(socket)
          await socket.until(() => socket.webSocket.readyState === WebSocket.OPEN)
          const token = { Authorization: `Bearer ${testKey}` }
          socket.send({ type: 'connection_init', payload: path === '/graphql' ? token : { headers: token } })
          await socket.until(() => socket.messages.some(({ type }) => type === 'connection_ack'))
          for (const id of ['1', '2']) socket.start(id, `subscription { machines { n${id}: name } }`)
          await socket.until(() => ['1', '2'].every(id => socket.results(id).length === 1))
          socket.send({ type: protocol === 'graphql-ws' ? 'stop' : 'complete', id: '1' })
          await put(mill, `Mill ${path}`)
          await socket.until(() => socket.results('2').length === 2)
          await put(mill, 'Mill')
          await socket.until(() => socket.results('2').length === 3)
          expect(socket.results('1')).to.have.length(1)
          if (protocol === 'graphql-ws') {
            socket.send({ type: 'connection_terminate' })
            await socket.whenClosed()
          }
        }
      })

      it('Each invalid GraphQL operation over a WebSocket fails with an error code', async () => {
        const socket = await join({ protocol })
        socket.start('1', 'subscription { machines { nothing } }')
        socket.start('2', 'subscription { machines { name } Machine { name } }')
        socket.start('3', 'subscription {')
        socket.start('4', 'subscription ($n: Int!) { machines(limit: $n) { name } }')
        const wrong: readonly (readonly [type: string, field: string, value: unknown])[] = [
          ['Int', 'machines(limit: $v)', 'x'],
          ['MachineTP_bool_exp', 'machines(where: $v)', { nothing: {} }],
          ['[MachineTP_order_by!]', 'machines(order_by: $v)', [{ name: 'up' }]],
          ['uuid!', 'machines_by_pk(machineId: $v)', 'x'],
        ]
        for (const [i, [type, field, v]] of wrong.entries())
          for (const kind of ['subscription', 'query'])
            socket.start(`${kind} ${i}`, `${kind} ($v: ${type}) { ${field} { name } }`, { v })
        const ids = ['1', '2', '3', '4', ...wrong.flatMap((_, i) => [`subscription ${i}`, `query ${i}`])]
        await socket.until(() => ids.every(id => socket.codes(id).length > 0))
        for (const id of ids) expect(socket.codes(id), id).to.include('validation-failed')
      })

      it('A GraphQL subscription that the client stops ends, and others continue', async () => {
        const socket = await join({ protocol })
        socket.start('1', 'subscription { machines { name } }')
        await socket.until(() => socket.results('1').length === 1)
        socket.send({ type: protocol === 'graphql-ws' ? 'stop' : 'complete', id: '1' })
        socket.start('2', 'subscription { machines { name make } }')
        await socket.until(() => socket.results('2').length === 1)
        await put(mill, `Mill ${protocol}`)
        await socket.until(() => socket.results('2').length === 2)
        await put(mill, 'Mill')
        await socket.until(() => socket.results('2').length === 3)
        expect(socket.results('1')).to.have.length(1)
      })

      it('A GraphQL WebSocket whose token is invalid or lacks the scope is closed', async () => {
        const bad = new GraphqlSocket(service.url, { protocol })
        open.push(bad)
        await bad.until(() => bad.webSocket.readyState === WebSocket.OPEN)
        bad.send({ type: 'connection_init', payload: { Authorization: 'Bearer no-such-key-of-32-characters-at-all' } })
        expect(await bad.whenClosed()).to.deep.equal({ code: 4401, reason: 'invalid-jwt' })
        if (protocol === 'graphql-ws')
          expect(bad.messages).to.deep.equal([
            {
              type: 'connection_error',
              payload: { message: 'The access token is invalid', extensions: { code: 'invalid-jwt' } },
            },
          ])
      })
    })

  it('A GraphQL subscription shows new values immediately, before and after the store has them', async () => {
    const socket = await join()
    const where = '{machine: {name: {_eq: "Mill"}}, metricKey: {_eq: "load"}}'
    socket.start('1', `subscription { currentStates(where: ${where}) { value } }`)
    await socket.until(() => socket.results('1').length === 1)
    for (const value of ['1', '2', '3']) {
      const before = socket.results('1').length
      await send(mill, 'load', value)
      await socket.until(() => socket.results('1').length > before)
      expect(socket.results('1').at(-1)).to.deep.equal({ currentStates: [{ value }] })
    }
  })

  it('A GraphQL subscription shows a future-dated value only after its timestamp, from memory and from the store', async () => {
    const socket = await join()
    const given = 'where: {metricKey: {_eq: "speed"}}'
    const lists = { memory: `currentStates(${given}) { value }`, store: `currentStates(${given}, limit: 9) { value }` }
    const ids = ['memory', 'store'] as const
    for (const id of ids) socket.start(id, `subscription { ${lists[id]} }`)
    const shows = (value: string) =>
      socket.until(() =>
        ids.every(id => JSON.stringify(socket.results(id).at(-1)) === `{"currentStates":[{"value":"${value}"}]}`),
      )
    await send(mill, 'speed', '1')
    await shows('1')
    await send(mill, 'speed', 'ahead', service.call, Date.now() + 3_600_000)
    await send(mill, 'speed', '2')
    await shows('2')
    await service.settled()
    for (const id of ids) {
      const { body } = await service.call('POST', '/graphql', { query: `{ ${lists[id]} }` })
      expect(body, id).to.deep.equal({ data: { currentStates: [{ value: '2' }] } })
      const theirs = await other('POST', '/graphql', { query: `{ ${lists[id]} }` })
      expect(theirs.body, id).to.deep.equal({ data: { currentStates: [] } })
      expect(JSON.stringify(socket.results(id)), id).to.not.contain('ahead')
    }
  })

  it('A GraphQL subscription can follow every root list', async () => {
    const given: Readonly<Record<string, string>> = {
      String: '"x"',
      uuid: `"${mill}"`,
      timestamptz: '"2026-01-01T00:00:00Z"',
    }
    const fields = Object.values(sharedSchema().getSubscriptionType()?.getFields() ?? {})
    expect(fields.length).to.be.above(50)
    const socket = await join()
    for (let first = 0; first < fields.length; first += 20) {
      const some = fields.slice(first, first + 20)
      for (const { name, args } of some) {
        const keys = args.filter(({ type }) => isNonNullType(type))
        const words = keys.map(arg => `${arg.name}: ${given[getNamedType(arg.type).name] ?? '1'}`)
        socket.start(name, `subscription { ${name}${words.length > 0 ? `(${words.join(', ')})` : ''} { __typename } }`)
      }
      await socket.until(() => some.every(({ name }) => socket.results(name).length + socket.codes(name).length > 0))
      for (const { name } of some) {
        expect(socket.codes(name), name).to.deep.equal([])
        expect(Object.keys(Object(socket.results(name)[0]))).to.deep.equal([name])
        socket.send({ type: 'complete', id: name })
      }
    }
  })

  it('Raw samples are inserted at short intervals only while a GraphQL subscription reads stored samples', async () => {
    const socket = await join()
    const isWatched = async (expected: boolean) => {
      for (let times = 0; times < 1_000 && isRawWatched() !== expected; times++) await sleep(20)
      expect(isRawWatched()).to.equal(expected)
    }
    const start = async (id: string, query: string) => {
      socket.start(id, `subscription { ${query} }`)
      await socket.until(() => socket.results(id).length === 1)
    }
    await start('values', 'currentStates(order_by: {value: asc}) { value }')
    await send(mill, 'pressure', '1')
    await socket.until(() => socket.results('values').length > 1)
    await isWatched(false)
    await start('since', 'currentStates { value startAt }')
    await isWatched(true)
    socket.send({ type: 'complete', id: 'since' })
    await isWatched(false)
    await start('keys', 'metrics(where: {metricKey: {_eq: "torque"}}) { type }')
    await isWatched(true)
    await send(mill, 'torque', '1')
    await socket.until(() => socket.results('keys').length === 2)
    expect(socket.results('keys')[1]).to.deep.equal({ metrics: [{ type: 'TORQUE' }] })
  })

  it('A GraphQL subscription shows states derived from documents', async () => {
    const socket = await join()
    const where = '{machine: {name: {_eq: "Mill"}}, metricKey: {_eq: "MasterExecution"}}'
    socket.start('1', `subscription { currentStates(where: ${where}) { value } }`)
    await socket.until(() => socket.results('1').length === 1)
    await send(mill, 'execution', 'ACTIVE')
    await socket.until(() => JSON.stringify(socket.results('1').at(-1)).includes('ACTIVE'))
    await send(mill, 'execution', 'READY')
    await socket.until(() => JSON.stringify(socket.results('1').at(-1)).includes('STOPPED'))
  })

  it('A GraphQL subscription shows the start and end of alarms', async () => {
    const socket = await join()
    const where = '{machine: {name: {_eq: "Mill"}}}'
    socket.start('1', `subscription { currentAlarms(where: ${where}) { nativeCode description state } }`)
    await socket.until(() => socket.results('1').length === 1)
    expect(socket.results('1')[0]).to.deep.equal({ currentAlarms: [] })
    const tell = async (value: string, more: object) => {
      const of = { machineId: mill, key: 'coolant_cond', type: 'SYSTEM', category: 'CONDITION' }
      const sample = { ...of, timestamp: new Date().toISOString(), value, ...more }
      const answer = await service.call('POST', '/ingest/samples', [sample])
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
    }
    await tell('FAULT', { nativeCode: 'E7', message: 'Coolant low' })
    await socket.until(() => socket.results('1').length === 2)
    const alarm = { nativeCode: 'E7', description: 'Coolant low', state: 'FAULT' }
    expect(socket.results('1').at(-1)).to.deep.equal({ currentAlarms: [alarm] })
    await tell('NORMAL', {})
    await socket.until(() => socket.results('1').length === 3)
    expect(socket.results('1').at(-1)).to.deep.equal({ currentAlarms: [] })
  })

  it('A GraphQL subscription shows no data of another company', async () => {
    const query = 'subscription { machines { machineId name currentStates { value } } }'
    const [mine, foreign] = [await join(), await join({}, otherKey)]
    mine.start('1', query)
    foreign.start('1', query)
    await send(theirs, 'load', 'of the other', other)
    await send(mill, 'load', 'of the first')
    const last = (socket: GraphqlSocket) => JSON.stringify(socket.results('1').at(-1) ?? null)
    await mine.until(() => last(mine).includes('of the first'))
    await foreign.until(() => last(foreign).includes('of the other'))
    await sleep(300)
    expect(JSON.stringify(mine.messages)).not.to.include('of the other').and.not.to.include(theirs)
    expect(JSON.stringify(foreign.messages)).not.to.include('of the first').and.not.to.include(mill)
  })

  it('GraphQL subscriptions end when their key is deleted', async () => {
    const key = 'a-third-key-of-the-first-company-here'
    const company = service.records.companies()[0]
    if (!company) throw new Error('The company is missing')
    const made = await service.commands.submit(
      'key.create',
      { name: 'screen', scopes: ['reporting'], hash: hashKey(key) },
      { companyId: company.id },
    )
    expect(made, JSON.stringify(made)).to.be.an('object')
    const socket = await join({}, key)
    socket.start('1', 'subscription { machines { name } }')
    await socket.until(() => socket.results('1').length === 1)
    const record = service.records.keyByHash(hashKey(key))
    await service.commands.submit('key.delete', { id: record?.id ?? '' }, { companyId: company.id })
    expect(await socket.whenClosed()).to.deep.equal({ code: 4401, reason: 'invalid-jwt' })
  })

  it('Every subscription of the GraphQL guide succeeds', async () => {
    const guide = readFileSync(new URL('../../../../docs/graphql.md', import.meta.url), 'utf8')
    const examples = [...guide.matchAll(/```graphql\n(subscription[\s\S]*?)```/g)].map(([, example = '']) => example)
    expect(examples).not.to.have.length(0)
    const socket = await join()
    for (const [i, example] of examples.entries()) {
      socket.start(`${i}`, example)
      await socket.until(() => socket.results(`${i}`).length > 0)
    }
  })

  it('The graphql-ws client receives results of a subscription', async () => {
    const client = createClient({
      url: `${service.url.replace('http', 'ws')}/proxy/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { headers: { authorization: `Bearer ${testKey}` } },
    })
    for await (const result of client.iterate({ query: 'subscription { Machine { name machineRef __typename } }' })) {
      expect(result.errors).to.equal(undefined)
      expect(JSON.stringify(result.data)).to.include('"__typename":"MachineTP"')
      break
    }
    await client.dispose()
  })
})
