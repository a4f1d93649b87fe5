import { Writable } from 'node:stream'
import { expect } from 'chai'
import { buildSchema } from 'graphql'
import { pino } from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClientOperations } from '../../../../api/graphql/sockets/client-operations.ts'
import { SocketSession } from '../../../../api/graphql/sockets/socket-session.ts'
import { Sessions } from '../../../../api/live/sessions/sessions.ts'
import type { TokenCheck } from '../../../../api/live/sessions/token-check.ts'
import { protocolAmong } from '../../../../api/graphql/sockets/protocol.ts'
import { ResultFrames, type SocketFrame } from '../../../../api/graphql/sockets/socket-frame.ts'
import { EvaluationQueue } from '../../../../api/graphql/subscriptions/evaluation-queue.ts'
import { LiveQueries } from '../../../../api/graphql/subscriptions/live-queries.ts'
import type { Operations } from '../../../../api/graphql/subscriptions/operations.ts'
import { Preparations } from '../../../../api/graphql/subscriptions/preparations.ts'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { defaultGraphqlLimits } from '../../../../api/ports/graphql-limits.ts'
import { Shares } from '../../../../shared/shares.ts'

const schema = buildSchema('type Query { a(x: String): Int } type Subscription { a(x: String): Int }')
const room = 100_000

describe('operations of a GraphQL connection', () => {
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  /** Operations of one client. `countStart` counts them. */
  function make({ countStart = (): boolean => true } = {}) {
    const told: string[] = []
    const wire = new Writable({
      write(part: Buffer, _encoding, done) {
        told.push(part.toString())
        done()
      },
    })
    const connection = {
      write: (frames: readonly SocketFrame[]) => {
        for (const frame of frames) frame.write(wire)
        return true
      },
      close: () => undefined,
    }
    const queue = new EvaluationQueue({ load: 1, onError: () => undefined })
    const run: Operations['run'] = async () => ({ data: { a: 1 } })
    const queries = new LiveQueries({
      operations: { run },
      queue,
      resultBytes: 1_000,
      cachedBytes: 1_000,
      isShared: () => false,
    })
    const bytes = new Shares({ limit: room, isShared: () => false })
    const subscriber = new Subscriber(connection, new FlushScheduler(), { bytes: 1e6, blockedMs: 1000 })
    const protocol = protocolAmong(new Set(['graphql-transport-ws']))
    if (!protocol) throw new Error('Unknown protocol')
    const deps = {
      queries,
      operations: { run },
      preparations: new Preparations({ schema }, defaultGraphqlLimits, bytes),
      queue,
      slots: new Shares({ limit: 1_000, isShared: () => false }),
      memory: bytes,
      countRequest: () => true,
      countStart,
      operationsOfConnection: 100,
      resultBytes: 1_000,
      frames: new ResultFrames(),
      logger: pino({ level: 'silent' }),
    }
    const operations = new ClientOperations(protocol, subscriber, deps)
    ends.push(
      () => operations.stopAll(),
      () => queue.stop(),
    )
    const session = (checkToken: TokenCheck, clock: () => number, closed: string[]) => {
      const sessions = new Sessions({
        records: { onChange: () => () => undefined, companies: () => [] },
        checkToken,
        clock,
        logger: deps.logger,
        admission: { connections: 1, guestsOfAddress: 1, joinWithinMs: 1_000 },
        waitingBytes: room,
      })
      ends.push(() => sessions.stop())
      const permit = sessions.admission.admit('a')
      if (!permit) throw new Error('The connection got no permit')
      const ending = { ...connection, end: (_code: number, reason: string) => void closed.push(reason) }
      return SocketSession.open({ protocol, permit, connection: ending, authorization: undefined }, sessions, {
        ...deps,
        bounds: { bytes: 1e4, depth: 9, elements: 9, keys: 9, values: 99, textBytes: 1e4, keyBytes: 99 },
        buffer: { bytes: 1e6, blockedMs: 1000 },
        commandsPerSecond: 100,
      })
    }
    const start = (id: string, query: string, chars = query.length) =>
      operations.start(id, 'a', { query, operationName: null, variables: {} }, chars)
    const until = async (text: string) => {
      for (let times = 0; times < 6_000 && !told.join('').includes(text); times++) await sleep(10)
      expect(told.join('')).to.include(text)
    }
    return { operations, queue, bytes, told, start, until, session }
  }

  it('Operations on a GraphQL WebSocket use at most the available memory and release it at their end', async () => {
    const { operations, bytes, told, start, until } = make()
    start('1', 'subscription { a }', 15_000)
    start('2', 'subscription { b: a }', 15_000)
    await until('"id":"2"')
    expect(told.join('')).to.include('start-failed')
    start('3', `subscription { a(x: "${'x'.repeat(2_000)}") }`, 2_000)
    await until('"id":"3"')
    expect(
      told.join('').match(/start-failed/g),
      'rejected operations, with the memory of the prepared query',
    ).to.have.length(2)
    operations.stop('1')
    expect(bytes.used).to.equal(0)
    start('4', 'subscription { b: a }', 15_000)
    await until('{"id":"4","type":"next"')
  })

  it('An operation on a GraphQL WebSocket that is stopped before its evaluation retains no memory', async () => {
    const { operations, queue, bytes, start } = make()
    const releases: (() => void)[] = []
    for (let i = 0; i < 2; i++) queue.add('a', () => new Promise<void>(resolve => releases.push(resolve)))
    for (let i = 0; i < 10; i++) start(`${i}`, 'subscription { a }')
    expect(queue.waiting).to.equal(10)
    for (let i = 0; i < 10; i++) operations.stop(`${i}`)
    expect([queue.waiting, bytes.used]).to.deep.equal([0, 0])
    for (const release of releases) release()
  })

  it('Operations on a GraphQL WebSocket end when their token expires, also while the token cannot be checked', async () => {
    const { session, until } = make()
    const closed: string[] = []
    let [isAway, nowMs] = [false, 0]
    const check = async () => {
      if (isAway) throw new Error('The store is unavailable')
      return { companyId: 'a', scopes: ['reporting'], standsFor: ['u'], tokenEndsAtMs: 1000 }
    }
    const joined = session(check, () => nowMs, closed)
    const init = JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer t' } })
    joined.receive({ bytes: init.length, text: () => init, read: () => null })
    await until('connection_ack')
    isAway = true
    nowMs = 999
    await joined.recheck()
    expect(closed).to.deep.equal([])
    nowMs = 1000
    await joined.recheck()
    expect(closed).to.deep.equal(['invalid-jwt'])
  })

  it('Messages on a GraphQL WebSocket wait for the check of the token, up to a limit', async () => {
    const { session, told, until } = make()
    const closed: string[] = []
    let finish: () => void = () => undefined
    const checked = new Promise<void>(resolve => (finish = resolve))
    const opened = () =>
      session(
        async () => {
          await checked
          return { companyId: 'a', scopes: ['reporting'], standsFor: ['u'], tokenEndsAtMs: null }
        },
        () => 0,
        closed,
      )
    const send = (receiver: SocketSession, message: object) => {
      const text = JSON.stringify(message)
      receiver.receive({ bytes: text.length, text: () => text, read: () => null })
    }
    const init = { type: 'connection_init', payload: { authorization: 'Bearer t' } }
    const [patient, hasty] = [opened(), opened()]
    for (const each of [patient, hasty]) send(each, init)
    send(patient, { id: 'early', type: 'subscribe', payload: { query: '{ a }' } })
    for (let i = 0; i < 200; i++) send(hasty, { type: 'ping' })
    await sleep(10)
    expect([told, closed]).to.deep.equal([[], ['rate_limited']])
    finish()
    await until('"id":"early"')
    expect(told[0]).to.include('connection_ack')
    for (const each of [patient, hasty]) each.closed()
  })

  it('Operations on a GraphQL WebSocket beyond the request limit of the company are rejected', async () => {
    let left = 2
    const { operations, start, until } = make({ countStart: () => left-- > 0 })
    for (const id of ['1', '2', '3']) {
      start(id, 'subscription { a }')
      await until(`"id":"${id}"`)
      operations.stop(id)
    }
    await until('rate-limit-exceeded')
  })
})
