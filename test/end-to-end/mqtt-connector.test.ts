import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import type { ConnectorResponse } from '../../schema/records/connector.ts'
import { type ChildService, startChild } from '../support/child-service.ts'
import { Mosquitto, requireMosquitto } from '../support/mosquitto.ts'
import { readReportedParts } from '../support/reported-parts.ts'

describe('service with a connector of an MQTT broker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'takt-mqtt-service-'))
  const [mill, lathe] = [randomUUID(), randomUUID()]
  let broker: Mosquitto
  let child: ChildService

  before(async function () {
    requireMosquitto(this)
    broker = await Mosquitto.start({ folder: join(folder, 'broker') })
    child = await start()
  })
  after(async () => {
    await child?.kill()
    await broker?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = () => startChild({ TAKT_DATA_DIR: join(folder, 'data') })

  async function connected(): Promise<ConnectorResponse> {
    for (;;) {
      const { body } = await child.call('GET', '/connectors/plant')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
      const connector = body as ConnectorResponse
      if (connector.state === 'connected') return connector
      await sleep(20)
    }
  }

  async function reportedParts(): Promise<number> {
    // The time for which samples wait for further ones.
    await sleep(1_000)
    await child.settled()
    return readReportedParts(child)
  }

  it('The parts of mapped topics and own batches are in the report, those during a crash of the service included', async () => {
    for (const id of [mill, lathe]) {
      const machine = { name: id, partCounter: 'increment', partCountKey: 'part' }
      expect((await child.call('PUT', `/machines/${id}`, machine)).status).to.equal(200)
    }
    const record = {
      name: 'Plant',
      kind: 'mqtt',
      address: broker.address,
      machines: [{ source: 'plant/{machine}', machineId: { mill } }],
      rules: [
        { from: 'plant/{machine}/state', value: '$.state', time: '$.ts', key: 'execution', type: 'EXECUTION' },
        { from: 'plant/{machine}/part', value: '$.n', time: '$.ts', key: 'part', type: 'PART_COUNT' },
      ],
    }
    const { status } = await child.call('PUT', '/connectors/plant', record)
    expect(status).to.equal(200)
    await connected()
    const device = await connectAsync(broker.address)
    const make = async (parts: number) => {
      for (let i = 0; i < parts; i++) {
        const atMs = Date.now()
        await device.publishAsync('plant/mill/part', JSON.stringify({ n: 1, ts: atMs }), { qos: 1 })
        const sample = { machineId: lathe, timestamp: new Date(atMs), key: 'part', type: 'PART_COUNT', value: 1 }
        await device.publishAsync('takt/samples', JSON.stringify([sample]), { qos: 1 })
        await sleep(5)
      }
    }
    for (const [topic, samples] of [
      ['plant/mill/state', { state: 'ACTIVE', ts: Date.now() }],
      [
        'takt/samples',
        { machineId: lathe, timestamp: new Date(), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' },
      ],
    ] as const)
      await device.publishAsync(topic, JSON.stringify(samples), { qos: 1 })
    await make(30)
    // The first position is stored within a second.
    await sleep(5_000)
    await make(20)
    await child.kill()
    await make(10)
    child = await start()
    await connected()
    await make(10)
    expect(await reportedParts()).to.equal(140)
    const { totals } = await connected()
    expect(totals).to.include({ gaps: 0, unmapped: 0 })
    await device.endAsync()
  })
})
