import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorResponse } from '../../schema/records/connector.ts'
import { Adapter } from '../connect/shdr/adapter.ts'
import { type ChildService, startChild } from '../support/child-service.ts'
import { readReportedParts } from '../support/reported-parts.ts'

describe('service with a connector of an SHDR adapter', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'takt-shdr-service-'))
  const machineId = randomUUID()
  let adapter: Adapter
  let child: ChildService
  let made = 0

  before(async () => {
    adapter = await Adapter.start()
    child = await start()
  })
  after(async () => {
    await child?.kill()
    await adapter?.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const start = () => startChild({ TAKT_DATA_DIR: dataDir })

  /** Waits until the connector reads the adapter, which it reports before the adapter has accepted it. */
  async function connected(): Promise<ConnectorResponse> {
    for (;;) {
      const { body } = await child.call('GET', '/connectors/mill')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
      const connector = body as ConnectorResponse
      if (connector.state === 'connected' && adapter.open === 1) return connector
      await sleep(20)
    }
  }

  async function make(parts: number): Promise<void> {
    for (let i = 0; i < parts; i++) {
      adapter.send({ key: 'part', value: String(++made), ms: Date.now() })
      await sleep(5)
    }
  }

  it('Parts count once although the service is killed, and the time without the adapter is a gap', async () => {
    const machine = { name: 'Mill', partCounter: 'counter', partCountKey: 'part' }
    expect((await child.call('PUT', `/machines/${machineId}`, machine)).status).to.equal(200)
    const rules = [
      { from: 'execution', key: 'execution', type: 'EXECUTION' },
      { from: 'part', key: 'part', type: 'PART_COUNT' },
    ]
    const machines = [{ source: 'Mill', machineId }]
    const record = { name: 'Mill', kind: 'shdr', address: adapter.address, machines, rules }
    expect((await child.call('PUT', '/connectors/mill', record)).status).to.equal(200)
    await connected()
    adapter.send({ key: 'execution', value: 'ACTIVE', ms: Date.now() }, { key: 'part', value: '0', ms: Date.now() })
    await make(30)
    // The first position is stored within a second.
    await sleep(5_000)
    await make(20)
    await child.kill()
    await make(10)
    child = await start()
    await connected()
    await make(10)
    // The time for which samples wait for further ones.
    await sleep(1_000)
    await child.settled()
    expect(await readReportedParts(child)).to.equal(made)
    expect((await connected()).totals).to.include({ gaps: 1, unmapped: 0, dropped: 0 })
  })
})
