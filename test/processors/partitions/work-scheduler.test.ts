import { expect } from 'chai'
import { pino } from 'pino'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import type { OwnedPartition } from '../../../processors/partitions/owned-partition.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import { PendingPromotions } from '../../../processors/partitions/promotions.ts'
import { ChangeQueue } from '../../../processors/partitions/record-changes.ts'
import { WorkScheduler } from '../../../processors/partitions/work-scheduler.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { RepeatedFailure } from '../../../shared/async/repeated-failure.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { eventually } from '../../log/fixture.ts'
import { execution, inputsOf, minute, startMs } from '../timeline/support.ts'
import { memoryInputs } from './memory-inputs.ts'
import { message, of } from './messages.ts'

/** The current hour begins at `startMs`. */
const nowMs = startMs + 30 * minute
const historyHours = 2_000
const companyRef = asCompanyRef(1)
const utcDays = { bounds: 'UTC', calendar: createCalendar(defaultCompanySettings, null) }
const commissioned = { fromMs: startMs - historyHours * hourMs, createdMs: nowMs, toMs: null }

function machineOf(ref: number): MachineRecord {
  const [id, createdAt] = [`b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e${2000 + ref}`, new Date(nowMs).toISOString()]
  return { ...defaultMachineSettings, id, ref: asMachineRef(ref), companyId: 'c', name: `Machine ${ref}`, createdAt }
}

/** The status has lasted for 30 hours, so that its start is derived from the second window. */
const samplesOf = (machineRef: MachineRef) =>
  of(machineRef, [execution(-40 * hourMs, 'ACTIVE'), execution(-30 * hourMs, 'READY'), execution(minute, 'ACTIVE')])

describe('work of several partitions', function () {
  let database: TestDatabase
  let scheduler: WorkScheduler | null
  /** Partition and hour, relative to the current one, of each written document. */
  let written: { readonly partition: number; readonly hour: number }[]

  beforeEach(async () => {
    database = await freshDatabase()
    scheduler = null
    written = []
  })

  afterEach(async () => {
    await scheduler?.stop()
    await database.drop()
  })

  /** Takes over a partition with these machines; all their hours are dirty. */
  async function own(number: number, refs: readonly number[]): Promise<OwnedPartition> {
    const partition = new Partition({
      partition: number,
      partitions: 2,
      fence: 1,
      store: createDocumentStore(database.store),
      clock: () => nowMs,
      inputs: memoryInputs(machineRef => inputsOf({}, { machineRef, commissioned })),
      calendarOf: () => utcDays,
      onCurrent: () => undefined,
      onWritten: documents =>
        written.push(...documents.map(({ slotMs }) => ({ partition: number, hour: (slotMs - startMs) / hourMs }))),
    })
    await partition.takeOver(refs.map(machineOf), () => companyRef, [companyRef])
    const failure = new RepeatedFailure(undefined, `partition ${number}`)
    const released = new AbortController()
    const [logger, { signal }] = [pino({ enabled: false }), released]
    return {
      number,
      partition,
      promotions: new PendingPromotions(1),
      changes: new ChangeQueue({ apply: async () => undefined, logger, failure, signal }),
      fence: 1,
      committedOffset: 0,
      storedRecordsOffset: 0,
      recordsOffset: 0,
      documentsFailure: failure,
      changesFailure: failure,
      released,
      isConsuming: false,
    }
  }

  function start(owned: readonly OwnedPartition[], isReading = () => false, nowMs?: () => number): void {
    scheduler = new WorkScheduler({
      owned: () => owned,
      isReading,
      ...(nowMs && { nowMs }),
      promote: async () => undefined,
      onIdle: async () => undefined,
      onTick: async () => undefined,
      logger: pino({ enabled: false }),
    })
    scheduler.start()
  }

  const isLive = ({ hour }: { readonly hour: number }) => hour >= -1

  it('A partition with a backlog does not delay the start states and live hours of another one', async () => {
    const [first, second] = [await own(0, [1, 2]), await own(1, [3, 4])]
    await first.partition.consume([message([...samplesOf(asMachineRef(1)), ...samplesOf(asMachineRef(2))])])
    while (first.partition.liveDirtyHours > 0) await first.partition.work()
    await second.partition.consume([message([...samplesOf(asMachineRef(3)), ...samplesOf(asMachineRef(4))])])
    written = []
    start([first, second])
    await eventually(() => written.some(each => each.partition === 0))
    const history = written.findIndex(each => each.partition === 0)
    expect(written.slice(0, history).filter(isLive).length, 'live hours of the other partition').to.equal(4)
    expect(written[history]?.hour).to.be.lessThan(-1)
    expect(second.partition.liveDirtyHours).to.equal(0)
  })

  it('A backlog is computed although another partition always has work on live hours', async () => {
    const [first, second] = [await own(0, [1]), await own(1, [2])]
    Object.defineProperty(second.partition, 'hasLiveWork', { get: () => true })
    start([first, second])
    await eventually(() => written.filter(each => each.partition === 0).length > historyHours)
  })

  it('Long slices of a backlog wait for reads, and live hours do not', async () => {
    const only = await own(0, [1, 2])
    await only.partition.consume([message([...samplesOf(asMachineRef(1)), ...samplesOf(asMachineRef(2))])])
    written = []
    const reads = { areOpen: true, rounds: 0 }
    const isReading = () => {
      reads.rounds++
      return reads.areOpen
    }
    // No time passes, so the limit of the wait is not reached.
    start([only], isReading, () => 0)
    await eventually(() => only.partition.liveDirtyHours === 0)
    const before = reads.rounds
    await eventually(() => reads.rounds > before + 2)
    expect(written.every(isLive), 'only live hours').to.equal(true)
    expect(written.length).to.equal(4)
    reads.areOpen = false
    await eventually(() => written.length > historyHours)
  })

  it('A backlog is computed although there are always reads', async () => {
    const only = await own(0, [1])
    start([only], () => true)
    await eventually(() => written.length > historyHours)
  })
})
