import { assert } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAgent } from '../../../connect/mtconnect/read-agent.ts'
import { MtconnectAgent } from '../../../demo/mtconnect-agent/agent.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { defaultConnectorMachine, defaultConnectorOptions } from '../../../schema/records/connector.ts'
import { isHeartbeat } from '../../../schema/heartbeat.ts'
import { parseInstantUs } from '../../../shared/time/instant.ts'
import { eventually } from '../../log/fixture.ts'
import { connectTopics } from '../run/contract.ts'
import { ConnectorPlant, startProcess, storedHeads } from '../run/process.ts'
import { mill } from './scenario.ts'

describe('MTConnect agent and a process with the role connect', () => {
  it('After a cut and a crash of the process, each observation of the agent is in the log with its number', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-connect-'))
    const agent = await MtconnectAgent.start({ devices: [mill] })
    const plant = new ConnectorPlant()
    const id = plant.add()
    plant.put(id, {
      address: agent.url,
      machines: [{ ...defaultConnectorMachine, source: 'Mill', machineId: plant.source(id).machineId }],
      options: { ...defaultConnectorOptions, start: 'buffer', intervalMs: 10, sourceHeartbeatMs: 1_000 },
    })
    const work = (): void => {
      for (let i = 0; i < 500; i++) {
        const timestamp = new Date().toISOString()
        agent.add({ dataItemId: 'speed', timestamp, value: String(i) }, { dataItemId: 'part', timestamp, value: '1' })
      }
    }
    const open = async (): Promise<Log> => {
      const opened = await openEmbeddedLog({ path })
      await opened.createTopics(connectTopics)
      return opened
    }
    const isStored = async (log: Log) => String((await storedHeads(log)).get(id)?.next) === String(agent.next)
    let log = await open()
    const first = await startProcess(log, plant, { read: readAgent })
    work()
    await eventually(() => isStored(log))
    agent.cut()
    work()
    await eventually(() => isStored(log))
    work()
    await eventually(() => (first.healthOf(id)?.totals.observations ?? 0) > 2_200)
    await log.close()
    log = await open()
    work()
    const second = await startProcess(log, plant, { read: readAgent })
    await eventually(() => isStored(log))
    await second.stop()
    const samples = await plant.samples(log, id)
    const observed = samples.filter(sample => !isHeartbeat(sample))
    const bySequence = new Map(observed.map(sample => [sample.sequence, sample]))
    assert.deepEqual(
      [...bySequence.values()].map(({ sequence, atUs, value }) => [sequence, atUs, value]),
      agent
        .buffered()
        .map(({ sequence, timestamp, value }) => [sequence, parseInstantUs(timestamp), value.toUpperCase()]),
    )
    assert.isAbove(samples.length, observed.length, 'heartbeats')
    await first.stop()
    await log.close()
    await agent.close()
    rmSync(path, { recursive: true, force: true })
  })
})
