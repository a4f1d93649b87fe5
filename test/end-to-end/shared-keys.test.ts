import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { ApiKey, CreatedApiKey } from '../../schema/requests/api-key.ts'
import type { UserResponse as User } from '../../schema/records/user.ts'
import type { Log } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { readConfig } from '../../service/config.ts'
import { Problems } from '../../shared/problems.ts'
import { openLog, openStore } from '../../service/open-clients.ts'
import { Browser } from '../support/browser.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { companyCommand, printed } from '../support/company-command.ts'
import { sharedBroker } from '../support/kafka.ts'
import { outageProxy, type OutageProxy } from '../support/outage-proxy.ts'
import { caller, startService } from '../support/service.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'
import { removeTopics } from './topics.ts'

const rounds = 3
const behindMs = 700

describe('keys and sessions in two processes', function () {
  let a: ChildService
  /** The process that receives records late, and that alone can be disconnected from the store. */
  let b: Behind
  let proxy: OutageProxy
  let browser: Browser
  let password: string

  before(async function () {
    const broker = await sharedBroker()
    if (!broker) {
      this.skip()
      return
    }
    await removeTopics(broker)
    const clickhouse = await sharedClickhouse()
    proxy = await outageProxy(clickhouse)
    const env = { ...clickhouse.env(), KAFKA_BROKERS: broker.brokers.join(','), TAKT_PARTITIONS: '1' }
    a = await startChild({ ...env, TAKT_ROLES: 'process,api' })
    b = await startBehind({ ...env, CLICKHOUSE_URL: `http://127.0.0.1:${proxy.port}` })
    const made = await companyCommand(env, 'create', 'North plant', '--admin', 'ada@north.example')
    password = printed(made, 'Password')
    browser = new Browser()
  })

  after(async () => {
    await b?.stop()
    await a?.kill()
    proxy?.close()
  })

  const managing = (method: string, path: string, body?: unknown) => browser.call(a.url, method, path, body)
  const inB = async (key: string) => (await caller(b.url, key)('GET', '/accounts/current')).status
  const make = async (): Promise<CreatedApiKey> => {
    const { body } = await managing('POST', '/api-keys', { name: 'BI', scopes: ['machine.read'] })
    return JSON.parse(JSON.stringify(body))
  }

  it('A new key works in another process immediately, and a disabled one fails there on the next request', async () => {
    expect(
      (await browser.signIn(b.url, 'ada@north.example', password)).status,
      'sign-in to the new company in the other process',
    ).to.equal(200)
    for (let round = 0; round < rounds; round++) {
      const { key, id } = await make()
      expect(await inB(key), `made, ${round}`).to.equal(200)
      await managing('PATCH', `/api-keys/${id}`, { disabled: true })
      expect(await inB(key), `disabled, ${round}`).to.equal(401)
      await managing('PATCH', `/api-keys/${id}`, { disabled: false, scopes: ['reporting'] })
      expect(await inB(key), `enabled, ${round}`).to.equal(200)
      expect((await caller(b.url, key)('GET', '/settings')).status, `other scopes, ${round}`).to.equal(403)
      await managing('DELETE', `/api-keys/${id}`)
      expect(await inB(key), `deleted, ${round}`).to.equal(401)
    }
  })

  it('A user token ends in another process when its key is deleted', async () => {
    const { key, id } = await make()
    const { body: token } = await caller(a.url, key)('GET', '/user-token')
    expect(await inB(String(token))).to.equal(200)
    await managing('DELETE', `/api-keys/${id}`)
    expect(await inB(String(token))).to.equal(401)
  })

  it('Sessions, and changes of their users, apply in another process immediately', async () => {
    const given = { email: 'bob@north.example', displayName: 'Bob', role: 'operator', password }
    const { body } = await managing('POST', '/users', given)
    const user: User = JSON.parse(JSON.stringify(body))
    const bob = new Browser()
    expect((await bob.signIn(b.url, given.email, password)).status).to.equal(200)
    expect((await bob.call(a.url, 'GET', '/session')).status).to.equal(200)
    await managing('PATCH', `/users/${user.id}`, { role: 'manager' })
    expect((await bob.call(b.url, 'PUT', '/settings', {})).status).to.equal(200)
    await managing('PATCH', `/users/${user.id}`, { role: 'operator' })
    expect((await bob.call(b.url, 'PUT', '/settings', {})).status).to.equal(403)
    await bob.call(a.url, 'DELETE', '/session')
    expect((await bob.call(b.url, 'GET', '/session')).status).to.equal(401)
    await bob.signIn(a.url, given.email, password)
    expect((await bob.call(b.url, 'GET', '/session')).status).to.equal(200)
    await managing('DELETE', `/users/${user.id}`)
    expect((await bob.call(b.url, 'GET', '/session')).status).to.equal(401)
  })

  it('Changes of keys apply through the log in a process without a store', async () => {
    const { key, id } = await make()
    for (const outage of ['refuse', 'silent'] as const) {
      proxy.cut(outage)
      const another = await make()
      expect(await inB(another.key), outage).to.equal(200)
      await managing('DELETE', `/api-keys/${another.id}`)
      expect(await inB(another.key), outage).to.equal(401)
      expect((await caller(b.url, key)('GET', '/machines')).status).to.equal(200)
      await proxy.mend()
    }
    await managing('DELETE', `/api-keys/${id}`)
    expect(await inB(key)).to.equal(401)
  })

  it('The last use of a key in one process is visible in another once it is written', async () => {
    const { key, id } = await make()
    expect(await inB(key)).to.equal(200)
    await b.stop()
    const { body } = await managing('GET', '/api-keys')
    const keys: readonly ApiKey[] = JSON.parse(JSON.stringify(body))
    expect(Date.now() - Date.parse(keys.find(shown => shown.id === id)?.lastUsedAt ?? '')).to.be.within(0, 60_000)
  })
})

interface Behind {
  readonly url: string
  stop(): Promise<void>
}

/** A service in this process that receives every change of records late. */
async function startBehind(env: Readonly<Record<string, string>>): Promise<Behind> {
  const full = { ...env, TAKT_ROLES: 'ingest,api' }
  const config = readConfig(full)
  const logger = pino({ level: 'silent' })
  const log = await openLog({ config, clock: Date.now, logger, problems: new Problems(), report: () => undefined })
  const store = await openStore(
    config,
    () => undefined,
    () => undefined,
  )
  const service = await startService({ env: full, log: withLateRecords(log), store })
  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    await service.stop()
    await store.close()
    await log.close()
  }
  return { url: service.url, stop: () => (stopped ??= stop()) }
}

function withLateRecords(log: Log): Log {
  const follow: Log['follow'] = ({ onBatch, ...options }) =>
    log.follow({
      ...options,
      onBatch: async batch => {
        if (options.topic === topics.records) await sleep(behindMs)
        await onBatch(batch)
      },
    })
  return new Proxy(log, {
    get(target, property) {
      if (property === 'follow') return follow
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
