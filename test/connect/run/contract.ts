import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Buffers } from '../../../connect/buffer/buffers.ts'
import { SourceError } from '../../../connect/source/source.ts'
import { positionsTopic } from '../../../connect/positions/position.ts'
import type { Log } from '../../../log/log.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import { topics } from '../../../schema/topics.ts'
import { eventually } from '../../log/fixture.ts'
import {
  ConnectorPlant,
  type FollowedHeads,
  followHeads,
  partitionOf,
  positionOf,
  type ProcessOptions,
  startProcess,
  storedHeads,
} from './process.ts'

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

function openBuffers(folder: string): Promise<Buffers> {
  const result = { accepted: 1, rejected: [], rejectedCount: 0, rejectedByCode: {} }
  return Buffers.open({
    folder,
    acceptor: { accept: async () => result },
    limits: { eachBytes: 1 << 20, totalBytes: 1 << 20 },
    logger: pino({ level: 'silent' }),
  })
}

/** Describes the connectors of processes on a log. */
export function describeConnectors({ open, crash }: ConnectLogs): void {
  let log: Log
  let heads: FollowedHeads
  /** Called after each test, also after a failed one: a process that stays in the group has partitions of later tests. */
  const endings: (() => Promise<unknown>)[] = []
  before(async () => {
    log = await open()
    await log.createTopics(connectTopics)
  })
  const follow = async () => {
    heads = await followHeads(log)
    endings.push(heads.stop)
  }
  beforeEach(follow)
  afterEach(async () => {
    await Promise.all(endings.splice(0).map(end => end()))
  })
  const start = async (onLog: Log, plant: ConnectorPlant, options: ProcessOptions = {}) => {
    const process = await startProcess(onLog, plant, options)
    endings.push(process.stop)
    return process
  }
  const areStored = (ids: readonly string[], next: number | undefined) => ids.every(id => heads.nextOf(id) === next)

  it('All samples of all sources are delivered once and in order, and their positions are stored', async () => {
    const plant = new ConnectorPlant()
    const ids = upTo(30).map(index => plant.add(index * 50))
    const process = await start(log, plant)
    await eventually(() => ids.every(id => process.healthOf(id)?.state === 'connected'))
    for (const id of ids) plant.source(id).available += 20
    await eventually(() => ids.every(id => heads.nextOf(id) === plant.source(id).available))
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
    const first = await start(log, plant)
    await eventually(() => first.running().length === ids.length && areStored(ids, 100))
    const second = await start(await open(), plant)
    const areMoved = () => {
      const running = [...first.running(), ...second.running()]
      // Equal ids: the process that joined has started a connector that the other one has not stopped yet.
      return second.running().length > 0 && running.length === ids.length && new Set(running).size === ids.length
    }
    await eventually(areMoved)
    for (const id of ids) plant.source(id).available += 100
    expect(ids.map(id => plant.source(id).open).every(open => open <= 1)).to.equal(true)
    await eventually(() => areStored(ids, 200))
    await second.stop()
    await eventually(() => first.running().length === ids.length)
    for (const id of ids) plant.source(id).available += 100
    await eventually(() => areStored(ids, 300))
    for (const all of await plant.allDelivered(log, ids)) expect(all).to.deep.equal(upTo(300))
    await first.stop()
  })

  it('A process that joins repeats no sample that the positions lack at that time, and neither does the next owner', async () => {
    const plant = new ConnectorPlant()
    const ids = upTo(24).map(() => plant.add())
    // After the first position of a connector, only a stop stores it.
    const options = { positionIntervalMs: 3_600_000 }
    const first = await start(log, plant, options)
    await eventually(() => ids.every(id => first.healthOf(id)?.state === 'connected'))
    const producing = setInterval(() => {
      for (const id of ids) plant.source(id).available++
    }, 5)
    endings.push(async () => clearInterval(producing))
    await eventually(() => (first.healthOf(ids[0] ?? '')?.totals.samples ?? 0) > 0)
    const second = await start(await open(), plant, options)
    await eventually(
      () => second.running().length > 0 && first.running().length + second.running().length === ids.length,
    )
    await second.stop()
    await eventually(() => first.running().length === ids.length)
    clearInterval(producing)
    await eventually(() => ids.every(id => first.healthOf(id)?.waitingBytes === 0))
    await first.stop()
    for (const [index, all] of (await plant.allDelivered(log, ids)).entries())
      expect(all).to.deep.equal(upTo(plant.source(ids[index] ?? '').available))
  })

  it('After a crash, the next process delivers what the position lacks, and every sample is in the log', async () => {
    const plant = new ConnectorPlant()
    const ids = upTo(6).map(() => plant.add(2_000))
    const crashing = await open()
    const first = await start(crashing, plant)
    await eventually(() => (first.healthOf(ids[0] ?? '')?.totals.samples ?? 0) >= 500)
    await crash(crashing)
    log = await open()
    const delivered = await plant.allDelivered(log, ids)
    const stored = await storedHeads(log)
    for (const [index, id] of ids.entries())
      expect(stored.get(id)?.next ?? 0, 'the position contains acknowledged samples').to.be.at.most(
        delivered[index]?.length ?? 0,
      )
    const second = await start(log, plant)
    await eventually(() => ids.every(id => second.healthOf(id)?.state === 'connected'))
    await follow()
    await eventually(() => areStored(ids.slice(0, 1), 2_000))
    await second.stop()
    for (const all of await plant.allDelivered(log, ids))
      expect([...new Set(all)].sort((a, b) => a - b)).to.deep.equal(upTo(2_000))
    await first.stop()
  })

  it('A fenced process stops the connectors of the partition, and continues at the stored positions', async () => {
    const plant = new ConnectorPlant()
    const id = plant.add(100)
    await start(log, plant)
    await eventually(() => areStored([id], 100))
    const { connections } = plant.source(id)
    const usurper = await (await open()).transactor(`connect-${partitionOf(id)}`, { topics: [positionsTopic.name] })
    endings.push(() => usurper.close())
    plant.source(id).available = 200
    await eventually(() => plant.source(id).connections > connections)
    await eventually(() => areStored([id], 200))
    expect([...new Set(await plant.delivered(log, id))]).to.deep.equal(upTo(200))
  })

  it('A changed record restarts its connector, a disabled one stops it, and a deleted one deletes its position', async () => {
    const plant = new ConnectorPlant()
    const [changed, other] = [plant.add(10), plant.add(10)]
    const process = await start(log, plant)
    await eventually(() => areStored([changed, other], 10))
    plant.source(changed).available = 20
    plant.put(changed, { address: 'http://127.0.0.1:5001' })
    await eventually(() => areStored([changed], 20))
    expect([plant.source(changed).connections, plant.source(other).connections]).to.deep.equal([2, 1])
    plant.put(changed, { enabled: false })
    await eventually(() => plant.source(changed).open === 0 && !process.running().includes(changed))
    plant.source(changed).available = 30
    plant.put(changed, { enabled: true })
    await eventually(() => areStored([changed], 30))
    expect(await plant.delivered(log, changed)).to.deep.equal(upTo(30))
    plant.remove(changed)
    await eventually(() => areStored([changed], undefined))
    plant.put(changed)
    await eventually(() => areStored([changed], 30))
    expect(await plant.delivered(log, changed)).to.deep.equal([...upTo(30), ...upTo(30)])
    plant.remove(other)
    await process.stop()
    const next = await start(log, plant)
    await eventually(() => next.running().length === 1)
    expect((await storedHeads(log)).has(other)).to.equal(false)
    await next.stop()
  })

  it('Processes forget the notes of deleted connectors in their buffers, whichever process ran them', async () => {
    const plant = new ConnectorPlant()
    const [present, running, deleted] = [plant.add(), plant.add(), plant.add()]
    const folders = upTo(2).map(() => mkdtempSync(join(tmpdir(), 'takt-buffers-')))
    const all = await Promise.all(folders.map(openBuffers))
    endings.push(async () => {
      await Promise.all(all.map(buffers => buffers.stop()))
      for (const folder of folders) rmSync(folder, { recursive: true })
    })
    const bufferOf = (buffers: Buffers, id: string) => buffers.of(positionOf(id), asCompanyRef(1))
    for (const buffers of all)
      for (const id of [present, running, deleted]) {
        const note = { number: 1, text: id }
        bufferOf(buffers, id).append({ json: Buffer.from('{}'), count: 1, isBody: false, atMs: 0, note })
      }
    plant.remove(deleted)
    const notes = (id: string) => all.map(buffers => bufferOf(buffers, id).notes.length)
    expect([present, running, deleted].map(notes)).to.deep.equal([
      [1, 1],
      [1, 1],
      [1, 1],
    ])
    const processes: Awaited<ReturnType<typeof start>>[] = []
    for (const buffers of all) processes.push(await start(await open(), plant, { buffers }))
    await eventually(() => notes(deleted).every(count => count === 0))
    await eventually(() => processes.flatMap(process => process.running()).length === 2)
    plant.remove(running)
    await eventually(() => notes(running).every(count => count === 0))
    expect(notes(present)).to.deep.equal([1, 1])
    await Promise.all(processes.map(process => process.stop()))
  })

  it('A source that fails is connected again, and does not affect other sources', async () => {
    const plant = new ConnectorPlant()
    const [failing, rejecting, other] = [plant.add(10), plant.add(10), plant.add(10)]
    plant.source(failing).failures.push(new SourceError('No route'), new SourceError('Reset'))
    plant.source(rejecting).failures.push(new SourceError('401 Unauthorized', 'rejected'))
    const process = await start(log, plant)
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
