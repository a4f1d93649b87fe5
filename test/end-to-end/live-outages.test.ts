import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel } from '../../schema/requests/live.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { sharedBroker, type Broker } from '../support/kafka.ts'
import { joined, type LiveClient } from '../support/live-client.ts'
import { outageProxy, type OutageProxy } from '../support/outage-proxy.ts'
import { testKey } from '../support/service.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'
import { addMachine, post } from '../api/live/plant.ts'
import { removeTopics } from './topics.ts'

describe('live channels during outages', function () {
  let dataDir: string
  let broker: Broker
  let proxy: OutageProxy
  let child: ChildService
  let env: Readonly<Record<string, string>>
  let machineId: string
  const clients: LiveClient[] = []

  before(async function () {
    const found = await sharedBroker()
    if (!found?.kill) {
      this.skip()
      return
    }
    broker = found
    await removeTopics(broker)
    dataDir = mkdtempSync(join(tmpdir(), 'takt-live-'))
    const clickhouse = await sharedClickhouse()
    proxy = await outageProxy(clickhouse)
    env = {
      ...clickhouse.env(),
      CLICKHOUSE_URL: `http://127.0.0.1:${proxy.port}`,
      KAFKA_BROKERS: broker.brokers.join(','),
      TAKT_DATA_DIR: dataDir,
    }
    child = await startChild(env)
    machineId = await addMachine(child)
  })
  after(async () => {
    for (const client of clients) client.close()
    await child?.kill()
    proxy?.close()
    if (dataDir) rmSync(dataDir, { recursive: true, force: true })
  })

  const open = async (channel: Channel): Promise<LiveClient> => {
    const client = await joined('plain', child.url, channel, testKey)
    clients.push(client)
    client.send('set_machines', [machineId])
    return client
  }
  const tell = (value: string, load: number) => {
    const at = Date.now()
    return post(child, machineId, [
      { at, key: 'execution', type: 'EXECUTION', value },
      { at, key: 'load', type: 'LOAD', value: load },
    ])
  }
  const lastLoad = (client: LiveClient): unknown => client.of('update').findLast(({ key }) => key === 'load')?.value
  const lastStatus = (client: LiveClient): unknown => client.of('update').at(-1)?.status
  const told = (client: LiveClient, code: string) => client.of('channel_error').some(error => error.code === code)

  it('Live channels report an outage, continue without a reconnect and end with the current values', async () => {
    const [status, diagnostics, timeline] = await Promise.all([open('status'), open('diagnostics'), open('timeline')])
    await tell('ACTIVE', 1)
    await status.until(() => lastStatus(status) === 'ACTIVE', 60_000)
    await diagnostics.until(() => lastLoad(diagnostics) === '1')

    await broker.kill?.()
    await status.until(() => told(status, 'log_unavailable'), 30_000)
    await broker.restart?.()
    await sendUntilAccepted(() => tell('READY', 2))
    await status.until(() => lastStatus(status) === 'INACTIVE', 60_000)
    await diagnostics.until(() => lastLoad(diagnostics) === '2', 60_000)

    proxy.cut('refuse')
    await diagnostics.until(() => told(diagnostics, 'store_unavailable'), 30_000)
    await tell('ACTIVE', 3)
    await diagnostics.until(() => lastLoad(diagnostics) === '3', 30_000)
    const get = {
      machineId,
      requestId: 1,
      startAt: new Date(Date.now() - 3_600_000).toISOString(),
      metrics: [{ key: 'load' }],
    }
    timeline.send('get_metrics', get)
    await timeline.until(
      () => timeline.of('channel_error_timeline').some(({ code }) => code === 'store_unavailable'),
      30_000,
    )
    await proxy.mend()
    await status.until(() => lastStatus(status) === 'ACTIVE', 60_000)
    await child.settled()
    timeline.send('get_metrics', get)
    const values = () =>
      timeline.of('update').flatMap(({ data }) => data.load.data.map(({ value }: { value: string }) => value))
    await timeline.until(() => values().length > 0, 30_000)
    expect([...new Set(values())]).to.deep.equal(['1', '2', '3'])
  })

  it('Live channels have the current values after the process was killed', async () => {
    await tell('READY', 7)
    await child.kill()
    for (const client of clients) await client.until(() => client.ended() !== null)
    child = await startChild(env)
    const [status, diagnostics] = await Promise.all([open('status'), open('diagnostics')])
    await diagnostics.until(() => lastLoad(diagnostics) === '7', 60_000)
    await status.until(() => lastStatus(status) === 'INACTIVE', 60_000)
    await child.settled()
    expect(lastLoad(diagnostics)).to.equal('7')
    expect(lastStatus(status)).to.equal('INACTIVE')
  })
})

/** The service takes a moment to find the broker again. */
async function sendUntilAccepted(tell: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await tell()
      return
    } catch {
      await sleep(300)
    }
  }
  throw new Error('Samples are still rejected')
}
