import { expect } from 'chai'
import { SourceError } from '../../../connect/source/source.ts'
import { positionsTopic } from '../../../connect/positions/position.ts'
import type { Log } from '../../../log/log.ts'
import { topics } from '../../../schema/topics.ts'
import { eventually } from '../../log/fixture.ts'
import { ConnectorPlant, partitionOf, startProcess, storedHeads } from './process.ts'

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

export const connectTopics = [
  positionsTopic,
  ...[topics.samples, topics.deadLetters].map(name => ({ name, partitions: 2, retentionMs: null })),
]

/** Opens logs as processes do. `crash` ends a process without a stop: nothing that it writes afterwards has an effect. */
export interface ConnectLogs {
  readonly open: () => Promise<Log>
  readonly crash: (log: Log) => Promise<void>
}

/** Describes the connectors of processes on a log. */
export function describeConnectors({ open, crash }: ConnectLogs): void {
  let log: Log
  before(async () => {
    log = await open()
    await log.createTopics(connectTopics)
  })

  it('All samples of all sources are delivered once and in order, and their positions are stored', async () => {
    const plant = new ConnectorPlant()
    const ids = upTo(30).map(index => plant.add(index * 50))
    const process = await startProcess(log, plant)
    await eventually(() => ids.every(id => process.healthOf(id)?.state === 'connected'))
    for (const id of ids) plant.source(id).available += 20
    const isStored = async () => {
      const heads = await storedHeads(log)
      return ids.every(id => heads.get(id)?.next === plant.source(id).available)
    }
    await eventually(isStored)
    for (const [index, id] of ids.entries())
      if (index % 10 === 3) {
        const count = plant.source(id).available
        expect(await plant.delivered(log, id)).to.deep.equal(upTo(count))
        expect(process.healthOf(id)?.totals).to.include({ observations: count, reconnects: 0 })
      }
    await process.stop()
    expect(process.running()).to.deep.equal([])
    expect(ids.map(id => plant.source(id).open)).to.deep.equal(ids.map(() => 0))
  })

  it('Connectors move to a process that joins, and back when it leaves, without a repeated or lost sample', async () => {
    const plant = new ConnectorPlant()
    const ids = upTo(24).map(() => plant.add(100))
    const first = await startProcess(log, plant)
    await eventually(() => first.running().length === ids.length)
    const second = await startProcess(await open(), plant)
    await eventually(
      () => second.running().length > 0 && first.running().length + second.running().length === ids.length,
    )
    for (const id of ids) plant.source(id).available += 100
    expect(ids.map(id => plant.source(id).open).every(open => open <= 1)).to.equal(true)
    await eventually(async () => (await storedHeads(log)).get(second.running()[0] ?? '')?.next === 200)
    await second.stop()
    await eventually(() => first.running().length === ids.length)
    for (const id of ids) plant.source(id).available += 100
    await eventually(async () => {
      const heads = await storedHeads(log)
      return ids.every(id => heads.get(id)?.next === 300)
    })
    for (const id of ids.slice(0, 5)) expect(await plant.delivered(log, id)).to.deep.equal(upTo(300))
    await first.stop()
  })

  it('After a crash, the next process delivers what the position lacks, and every sample is in the log', async () => {
    const plant = new ConnectorPlant()
    const ids = upTo(6).map(() => plant.add(2_000))
    const crashing = await open()
    const first = await startProcess(crashing, plant)
    await eventually(async () => (await plant.delivered(log, ids[0] ?? '')).length >= 500)
    await crash(crashing)
    log = await open()
    const delivered = await Promise.all(ids.map(id => plant.delivered(log, id)))
    const heads = await storedHeads(log)
    for (const [index, id] of ids.entries())
      expect(heads.get(id)?.next ?? 0, 'the position contains acknowledged samples').to.be.at.most(
        delivered[index]?.length ?? 0,
      )
    const second = await startProcess(log, plant)
    await eventually(() => ids.every(id => second.healthOf(id)?.state === 'connected'))
    await eventually(async () => (await storedHeads(log)).get(ids[0] ?? '')?.next === 2_000)
    await second.stop()
    for (const id of ids) {
      const all = await plant.delivered(log, id)
      expect([...new Set(all)].sort((a, b) => a - b)).to.deep.equal(upTo(2_000))
    }
    await first.stop()
  })

  it('A fenced process stops the connectors of the partition, and continues at the stored positions', async () => {
    const plant = new ConnectorPlant()
    const id = plant.add(100)
    const process = await startProcess(log, plant)
    await eventually(async () => (await storedHeads(log)).get(id)?.next === 100)
    const { connections } = plant.source(id)
    const usurper = await (await open()).transactor(`connect-${partitionOf(id)}`, { topics: [positionsTopic.name] })
    plant.source(id).available = 200
    await eventually(() => plant.source(id).connections > connections)
    await eventually(async () => (await storedHeads(log)).get(id)?.next === 200)
    expect([...new Set(await plant.delivered(log, id))]).to.deep.equal(upTo(200))
    await process.stop()
    await usurper.close()
  })

  it('A changed record restarts its connector, a disabled one stops it, and a deleted one deletes its position', async () => {
    const plant = new ConnectorPlant()
    const [changed, other] = [plant.add(10), plant.add(10)]
    const process = await startProcess(log, plant)
    const isStored = async (id: string, next: number | undefined) => (await storedHeads(log)).get(id)?.next === next
    await eventually(async () => (await isStored(changed, 10)) && (await isStored(other, 10)))
    plant.source(changed).available = 20
    plant.put(changed, { address: 'http://127.0.0.1:5001' })
    await eventually(() => isStored(changed, 20))
    expect([plant.source(changed).connections, plant.source(other).connections]).to.deep.equal([2, 1])
    plant.put(changed, { enabled: false })
    await eventually(() => plant.source(changed).open === 0 && !process.running().includes(changed))
    plant.source(changed).available = 30
    plant.put(changed, { enabled: true })
    await eventually(() => isStored(changed, 30))
    expect(await plant.delivered(log, changed)).to.deep.equal(upTo(30))
    plant.remove(changed)
    await eventually(() => isStored(changed, undefined))
    plant.put(changed)
    await eventually(() => isStored(changed, 30))
    expect(await plant.delivered(log, changed)).to.deep.equal([...upTo(30), ...upTo(30)])
    plant.remove(other)
    await process.stop()
    const next = await startProcess(log, plant)
    await eventually(() => next.running().length === 1)
    expect(await isStored(other, undefined)).to.equal(true)
    await next.stop()
  })

  it('A source that fails is connected again, and does not affect other sources', async () => {
    const plant = new ConnectorPlant()
    const [failing, rejecting, other] = [plant.add(10), plant.add(10), plant.add(10)]
    plant.source(failing).failures.push(new SourceError('No route'), new SourceError('Reset'))
    plant.source(rejecting).failures.push(new SourceError('401 Unauthorized', 'rejected'))
    const process = await startProcess(log, plant)
    await eventually(() => [failing, other].every(id => process.healthOf(id)?.state === 'connected'))
    expect(process.healthOf(failing)?.totals.reconnects).to.equal(2)
    expect(process.healthOf(failing)?.lastError?.message).to.equal('Reset')
    expect(process.states.filter(({ connectorId }) => connectorId === failing).map(({ state }) => state)).to.include(
      'disconnected',
    )
    const { state, lastError } = process.healthOf(rejecting) ?? {}
    expect([state, lastError?.message, plant.source(other).connections]).to.deep.equal([
      'rejected',
      '401 Unauthorized',
      1,
    ])
    await process.stop()
  })
}
