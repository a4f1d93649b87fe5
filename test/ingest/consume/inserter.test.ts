import { expect } from 'chai'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SampleColumns } from '../../../clickhouse/samples/sample-columns.ts'
import { Inserter, type InserterPorts, type InsertTask } from '../../../ingest/consume/inserter.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { eventually } from '../../log/fixture.ts'
import { sample } from '../../processors/timeline/support.ts'
import { MemoryWriter, silent } from './plant.ts'

const away = new Error('connection refused')
const ignored = () => undefined

describe('Inserter', () => {
  let writer: MemoryWriter
  let failures: Error[]
  beforeEach(() => {
    writer = new MemoryWriter()
    failures = []
  })

  function inserterWith(more: Partial<InserterPorts> = {}): Inserter {
    return new Inserter({ writer, onFailed: error => failures.push(error), logger: silent, ...more })
  }

  /** Adds `count` rows; resolves when they are acknowledged. */
  function insert(inserter: Inserter, count: number, refuse: InsertTask['refuse'] = async () => undefined) {
    const rows = Array.from({ length: count }, (_, at) => ({
      companyRef: asCompanyRef(1),
      sample: sample(at, 'POSITION', String(at), { machineRef: asMachineRef(1) }),
    }))
    return new Promise<void>((acknowledged, reject) => {
      inserter.add({ rows: SampleColumns.of(rows), bytes: count, acknowledged, refuse }).catch(reject)
    })
  }

  it('An inserter stopped while the store is unavailable reports no failure', async () => {
    writer.failures.push(...Array.from({ length: 1_000 }, () => away))
    const inserter = inserterWith({ limits: { firstRetryMs: 1 } })
    let isAcknowledged = false
    insert(inserter, 1).then(() => (isAcknowledged = true), ignored)
    await eventually(() => writer.failures.length < 999)
    inserter.stop()
    await nextTurn()
    const refused = await inserter.drain().catch((error: unknown) => error)
    expect(String(refused)).to.contain('ingest is stopping')
    expect([isAcknowledged, failures, writer.rows]).to.deep.equal([false, [], []])
  })

  it('The inserter fails without an acknowledgement if a rejected row cannot become a dead letter', async () => {
    writer.refuses = ({ sample: { value } }) => value === '1'
    const inserter = inserterWith()
    const refusal = Object.assign(new Error('too large a record'), { retryable: false })
    let isAcknowledged = false
    insert(inserter, 3, () => Promise.reject(refusal)).then(() => (isAcknowledged = true), ignored)
    await eventually(() => failures.length > 0)
    expect([isAcknowledged, failures]).to.deep.equal([false, [refusal]])
    expect(await insert(inserter, 1).catch((error: unknown) => error)).to.equal(refusal)
  })

  it('The memory of each task counts against the limit, not only its rows', async () => {
    writer.failures.push(...Array.from({ length: 10_000 }, () => away))
    const inserter = inserterWith({ limits: { firstRetryMs: 1, bytes: 10_000 } })
    const taken: number[] = []
    const rows = SampleColumns.of([])
    insert(inserter, 1).catch(ignored)
    await nextTurn()
    const added = Array.from({ length: 25 }, (_, at) =>
      inserter
        .add({ rows, bytes: 1, acknowledged: ignored, refuse: async () => undefined })
        .then(() => taken.push(at), ignored),
    )
    await nextTurn()
    expect(taken.length).to.be.within(1, 20)
    inserter.stop()
    await Promise.all(added)
  })

  it('The time at which an insert began is passed to the wait after it', async () => {
    const started: number[] = []
    const inserter = inserterWith({ waitForNextInsert: async startedMs => void started.push(startedMs) })
    writer.failures.push(away)
    const startedMs = performance.now()
    await insert(inserter, 1)
    const endedMs = performance.now()
    await eventually(() => started.length === 1)
    // The store was unavailable for its first 100 ms.
    expect(started[0]).to.be.within(startedMs, endedMs - 50)
    inserter.stop()
  })

  it('A drain, or enough pending rows, ends the wait for the next insert', async () => {
    let waits = 0
    const waitForNextInsert = async (_startedMs: number, signal: AbortSignal) => {
      waits++
      await once(signal, 'abort')
    }
    const inserter = inserterWith({ waitForNextInsert, limits: { enoughRows: 300 } })
    await insert(inserter, 199)
    insert(inserter, 200).catch(ignored)
    insert(inserter, 99).catch(ignored)
    await nextTurn()
    expect([inserter.pendingRows, waits]).to.deep.equal([299, 1])
    await inserter.drain()
    expect([inserter.pendingRows, writer.inserts]).to.deep.equal([0, [199, 299]])
    await eventually(() => waits === 2)
    await insert(inserter, 300)
    expect(writer.inserts).to.deep.equal([199, 299, 300])
    inserter.stop()
  })
})
