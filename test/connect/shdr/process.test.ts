import { assert } from 'chai'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Buffers } from '../../../connect/buffer/buffers.ts'
import { readAdapter } from '../../../connect/shdr/read-adapter.ts'
import { createAcceptor } from '../../../ingest/accept/acceptor.ts'
import { ArrivalOrder } from '../../../ingest/shdr/arrival-order.ts'
import { readDevices } from '../../../ingest/shdr/devices.ts'
import { readLines } from '../../../ingest/shdr/files.ts'
import { ShdrParser } from '../../../ingest/shdr/parser.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { isHeartbeat } from '../../../schema/heartbeat.ts'
import { defaultConnectorMachine, defaultConnectorOptions } from '../../../schema/records/connector.ts'
import { recorded } from '../../ingest/shdr/nist.ts'
import { eventually } from '../../log/fixture.ts'
import { connectTopics } from '../run/contract.ts'
import { ConnectorPlant, startProcess } from '../run/process.ts'
import { Adapter } from './adapter.ts'

const day = 'Mazak01-20161024-20161025.shdr.gz'

describe('SHDR adapter and a process with the role connect', () => {
  it('A recorded day gives the samples of its lines, in the log once', async function () {
    const document = readFileSync(recorded(this, 'Devices.xml'), 'utf8')
    const path = recorded(this, day)
    const folder = mkdtempSync(join(tmpdir(), 'takt-shdr-process-'))
    const log = await openEmbeddedLog({ path: join(folder, 'log') })
    await log.createTopics(connectTopics)
    const plant = new ConnectorPlant()
    const id = plant.add()
    const adapter = await Adapter.start()
    const buffers = await Buffers.open({
      folder: join(folder, 'buffers'),
      acceptor: createAcceptor({ log, machines: plant.machines }),
      limits: { eachBytes: 64 << 20, totalBytes: 64 << 20 },
      logger: pino({ level: 'silent' }),
    })
    plant.put(id, {
      kind: 'shdr',
      address: adapter.address,
      machines: [{ ...defaultConnectorMachine, source: 'Mazak01', machineId: plant.source(id).machineId }],
      options: { ...defaultConnectorOptions, devices: document },
    })
    const process = await startProcess(log, plant, { read: readAdapter, buffers })
    await eventually(() => process.healthOf(id)?.state === 'connected' && adapter.open === 1)
    const devices = readDevices(document)
    const device = devices.find(({ name }) => name === 'Mazak01')
    const parser = new ShdrParser({ devices, device })
    const order = new ArrivalOrder()
    const expected = new Set<string>()
    adapter.write('* device: Mazak01\n')
    let count = 0
    for await (const line of readLines([path])) {
      for (const observation of parser.parse(line, 0)?.observations ?? []) {
        count++
        const delivered = observation.device === device ? order.accept(observation) : null
        if (delivered !== null) expected.add(`${delivered.atUs} ${delivered.key}`.toLowerCase())
      }
      adapter.write(`${line}\n`)
    }
    await eventually(() => process.healthOf(id)?.totals.observations === count)
    await process.stop()
    const samples = (await plant.samples(log, id)).filter(sample => !isHeartbeat(sample))
    const found = new Set(samples.map(({ atUs, key }) => `${atUs} ${key}`.toLowerCase()))
    const missing = [...expected].filter(one => !found.has(one))
    const unknown = samples.filter(({ value }) => value === 'UNAVAILABLE')
    const isRestated = (one: string) =>
      unknown.some(({ atUs, key }) => {
        const [us, ...name] = one.split(' ')
        return name.join(' ') === key.toLowerCase() && Number(us) > atUs && Number(us) < atUs + 100
      })
    const others = [...found].filter(one => !expected.has(one) && !isRestated(one))
    assert.isAbove(expected.size, 10_000)
    assert.deepEqual([missing.slice(0, 5), others.slice(0, 5)], [[], []])
    await buffers.stop()
    await log.close()
    await adapter.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
