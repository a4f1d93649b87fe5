import { expect } from 'chai'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { InvalidToken } from '../../../../api/auth/authenticate.ts'
import { type ChannelDeclaration, machineScope } from '../../../../api/live/channels/channel.ts'
import type { RawMessage } from '../../../../api/live/outbox/connection.ts'
import { parseGetMetrics } from '../../../../api/live/parse.ts'
import { LiveSession } from '../../../../api/live/sessions/live-session.ts'
import { Sessions } from '../../../../api/live/sessions/sessions.ts'
import type { LiveCaller } from '../../../../api/live/sessions/token-check.ts'
import { readPlainMessage } from '../../../../api/live/transport/plain.ts'
import type { Records } from '../../../../processors/records/records.ts'

const caller: LiveCaller = { companyId: 'a', scopes: ['reporting'], standsFor: ['key'], tokenEndsAtMs: null }

interface Told {
  readonly event: string
  readonly data: { readonly code?: string }
}

/** A session on a channel whose command never ends. */
function connect(checkToken: (token: string) => Promise<LiveCaller> = async () => caller, commandsPerSecond = 1000) {
  const told: Told[] = []
  const closed: string[] = []
  const listeners: Parameters<Records['onChange']>[0][] = []
  let clockMs = 0
  const channel: ChannelDeclaration = {
    name: 'timeline',
    scope: machineScope,
    commands: {
      get_metrics: data => {
        const { requestId } = parseGetMetrics(data)
        return () => new Promise(() => void requestId)
      },
    },
    left: () => undefined,
  }
  const connection = {
    write: (frames: readonly { readonly event: string; readonly json: string }[]) => {
      for (const { event, json } of frames) told.push({ event, data: JSON.parse(json) })
      return true
    },
    close: (reason: string) => void closed.push(reason),
  }
  const sessions = new Sessions({
    records: {
      onChange: listener => {
        listeners.push(listener)
        return () => undefined
      },
      companies: () => [],
    },
    checkToken,
    clock: () => clockMs,
    logger: pino({ level: 'silent' }),
    admission: { connections: 10, guestsOfAddress: 10, joinWithinMs: 30_000 },
    waitingBytes: 33_554_432,
  })
  const permit = sessions.admission.admit('192.0.2.1')
  if (!permit) throw new Error('There is room')
  const buffer = { bytes: 1_000_000, blockedMs: 1000 }
  const session = new LiveSession(channel, { connection, permit, buffer, commandsPerSecond }, sessions, {
    problems: new Map(),
    requestFlush: () => undefined,
  })
  /** A change of an unrelated key. */
  const change = () => {
    for (const listener of listeners) listener({ kind: 'key', id: 'another', before: null, after: null }, 0)
  }
  let read = 0
  const message = (event: string, data: unknown, bytes?: number): RawMessage => {
    const text = JSON.stringify({ event, data })
    return { bytes: bytes ?? text.length, text: () => text, read: given => (read++, readPlainMessage(given)) }
  }
  return {
    session,
    told,
    closed,
    waiting: sessions.waiting,
    stop: () => sessions.stop(),
    read: () => read,
    change,
    setClock: (ms: number) => (clockMs = ms),
    send: (event: string, data: unknown, bytes?: number) => session.receive(message(event, data, bytes)),
    codes: () => told.flatMap(({ data: { code } }) => (code === undefined ? [] : [code])),
  }
}

const request = { machineId: 'm', startAt: '2026-03-02T08:00:00Z', metrics: [{ key: 'load' }] }

describe('live sessions', () => {
  it('A live session limits the number and bytes of its pending commands, and releases their memory', async () => {
    const many = connect()
    many.send('join', { token: 't' })
    await turn()
    for (let i = 0; i < 500; i++) many.send('get_metrics', { ...request, requestId: i })
    await turn()
    expect(many.codes().filter(code => code === 'rate_limited')).to.have.length(300)

    const large = connect()
    large.send('join', { token: 't' })
    await turn()
    for (let i = 0; i < 50; i++) large.send('get_metrics', { ...request, requestId: i }, 100_000)
    await turn()
    expect(large.codes().filter(code => code === 'rate_limited').length).to.be.at.least(39)
    expect(large.waiting.used).to.be.at.most(1_048_576)
    large.session.closed()
    await turn()
    // The command in progress, with 1 KiB for its objects.
    expect(large.waiting.used).to.be.at.most(100_000 + 1024)
  })

  it('A live session does not parse commands beyond its rate limit', async () => {
    const { send, read, closed } = connect(undefined, 2)
    for (let i = 0; i < 50; i++) send('nonsense', null)
    expect(read()).to.equal(10)
    for (let i = 0; i < 200; i++) send('nonsense', null)
    expect([read(), closed]).to.deep.equal([10, ['rate_limited']])
  })

  it('A live session closes on endless pings', () => {
    const { session, closed } = connect(undefined, 2)
    for (let i = 0; i < 200; i++) session.control(125)
    expect(closed).to.deep.equal(['rate_limited'])
  })

  it('A live session closes when its token expires, also while the token cannot be checked', async () => {
    let isAway = false
    const { send, closed, session, setClock } = connect(async () => {
      if (isAway) throw new Error('The store is away')
      return { ...caller, tokenEndsAtMs: 1000 }
    })
    send('join', { token: 't' })
    await turn()
    isAway = true
    setClock(999)
    await session.recheck()
    expect([session.isJoined, closed]).to.deep.equal([true, []])
    setClock(1000)
    await session.recheck()
    expect([session.isJoined, closed]).to.deep.equal([false, ['invalid_token']])
  })

  it('A live session that has joined with another token stays open if the check of the former token fails', async () => {
    let fail: (error: Error) => void = () => undefined
    const checks: string[] = []
    const { send, closed, session } = connect(token => {
      checks.push(token)
      if (checks.length !== 2) return Promise.resolve(caller)
      return new Promise((_resolve, reject) => (fail = reject))
    })
    send('join', { token: 'former' })
    await turn()
    const rechecked = session.recheck()
    send('join', { token: 'new' })
    await turn()
    fail(new InvalidToken('The access token is invalid'))
    await rechecked
    expect(checks).to.deep.equal(['former', 'former', 'new'])
    expect([session.isJoined, closed]).to.deep.equal([true, []])
  })

  it('A live session closes if its key is deleted while the token is checked', async () => {
    let isGone = false
    let finish: (caller: LiveCaller) => void = () => undefined
    const checks = { count: 0 }
    const { send, told, closed, change, session } = connect(() => {
      if (++checks.count === 1) return new Promise(resolve => (finish = resolve))
      return isGone ? Promise.reject(new InvalidToken('The access token is invalid')) : Promise.resolve(caller)
    })
    send('join', { token: 't' })
    await turn()
    // The check has read the key, which is deleted before the check returns.
    isGone = true
    change()
    finish(caller)
    await turn()
    await turn()
    expect([session.isJoined, closed]).to.deep.equal([false, ['invalid_token']])
    expect(told.map(({ event }) => event)).to.not.include('channel_join_success')
  })

  it('The error of a live command has its request id, and a parsed command has only its known fields', () => {
    const failureOf = (data: object) => {
      try {
        parseGetMetrics(data)
        return null
      } catch (error) {
        return error instanceof Error && 'failure' in error ? error.failure : error
      }
    }
    expect(failureOf({ requestId: 7 })).to.deep.include({ code: 'invalid_request', requestId: 7 })
    expect(failureOf({ ...request, requestId: 'x'.repeat(2000) })).to.deep.include({ code: 'invalid_request' })
    const names = Array.from({ length: 200 }, (_, i) => `k${i}`)
    const metrics = Array.from({ length: 6 }, (_, tag) => ({ key: names, tag: String(tag) }))
    expect(failureOf({ ...request, requestId: 7, metrics })).to.deep.include({ requestId: 7 })
    const given = { ...request, requestId: { a: 1 }, extra: 'x', metrics: [{ key: 'load', tag: 'a', extra: 'x' }] }
    expect(parseGetMetrics(given)).to.deep.equal({
      ...request,
      requestId: { a: 1 },
      metrics: [{ key: 'load', tag: 'a' }],
    })
  })
})
