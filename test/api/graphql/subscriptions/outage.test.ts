import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedLog } from '../../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../../log/log.ts'
import { topics } from '../../../../schema/topics.ts'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { startService, type TestService, testKey } from '../../../support/service.ts'
import { withMethods } from '../../../support/with-methods.ts'

/**
 * Wraps a log so that it can be unavailable: it then loses what is published to its live topic. All live values pass
 * through the topic.
 */
function losing(log: Log, isAway: () => boolean): Log {
  const own: Partial<Log> = {
    kind: 'kafka',
    follow: options =>
      log.follow(
        options.topic === topics.live
          ? { ...options, onBatch: async batch => (isAway() ? undefined : options.onBatch(batch)) }
          : options,
      ),
    ping: async () => {
      if (isAway()) throw new Error('away')
      await log.ping()
    },
  }
  return withMethods(log, own)
}

describe('GraphQL subscriptions during an outage of the live topic', function () {
  const folder = mkdtempSync(join(tmpdir(), 'takt-outage-'))
  let isAway = false
  let log: Log
  let service: TestService
  before(async () => {
    log = await openEmbeddedLog({ path: join(folder, 'log') })
    service = await startService({ log: losing(log, () => isAway) })
  })
  after(async () => {
    await service?.stop()
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('GraphQL subscriptions show values that arrived while the live topic was unavailable', async () => {
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    const send = async (value: number) => {
      const sample = { machineId, timestamp: new Date().toISOString(), key: 'load', type: 'LOAD', value }
      expect((await service.call('POST', '/ingest/samples', [sample])).status).to.equal(202)
    }
    await send(1)
    await service.settled()
    const socket = await GraphqlSocket.join(service.url, testKey)
    const load = 'where: {metricKey: {_eq: "load"}}'
    const subscriptions = {
      memory: `subscription { currentStates(${load}) { value } }`,
      store: `subscription { currentStates(${load}, order_by: {value: asc}) { value } }`,
    }
    const ids = Object.keys(subscriptions)
    const shown = (id: string) => Number(/"value":"(\d+)"/.exec(JSON.stringify(socket.results(id).at(-1)) ?? '')?.[1])
    const showAll = (value: number) => Promise.all(ids.map(id => socket.until(() => shown(id) === value)))
    for (const [id, query] of Object.entries(subscriptions)) socket.start(id, query)
    await showAll(1)
    isAway = true
    const query = { query: `{ currentStates(${load}) { value } }` }
    const inStore = async () => JSON.stringify((await service.call('POST', '/graphql', query)).body)
    let value = 1
    do {
      await send(++value)
      for (let times = 0; times < 1_200 && !(await inStore()).includes(`"${value}"`); times++) await sleep(50)
      // The service checks once a second.
      await sleep(2_000)
      // An evaluation that was requested before the outage, and waited for CPU time, shows a value from the store.
    } while (value < 8 && ids.some(id => shown(id) === value))
    for (const id of ids) expect(shown(id)).to.be.below(value)
    isAway = false
    await showAll(value)
    socket.close()
  })
})
