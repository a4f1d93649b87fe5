import { expect } from 'chai'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import type { DocumentStore, VersionedDocument } from '../../../schema/document-store.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import type { Sample } from '../../../schema/sample.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { readDocument } from '../../support/read-document.ts'
import { withMethods } from '../../support/with-methods.ts'
import { compute, condition, execution, inputsOf, minute, parts, startMs } from '../timeline/support.ts'
import { memoryInputs } from './memory-inputs.ts'
import { message, of } from './messages.ts'

/** The current hour begins at `startMs`. */
const nowMs = startMs + 30 * minute
const historyHours = 30 * 24
const fromMs = startMs - historyHours * hourMs
const companyRef = asCompanyRef(1)
const utcDays = { bounds: 'UTC', calendar: createCalendar(defaultCompanySettings, null) }

const inputsFor = (machineRef: MachineRef) =>
  inputsOf({}, { machineRef, commissioned: { fromMs, createdMs: nowMs, toMs: null } })

function machineOf(ref: number): MachineRecord {
  const [id, createdAt] = [`b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e${2000 + ref}`, new Date(nowMs).toISOString()]
  return { ...defaultMachineSettings, id, ref: asMachineRef(ref), companyId: 'c', name: `Machine ${ref}`, createdAt }
}

const machines = [1, 2, 3, 4, 5, 6].map(machineOf)

/** One change of state and one part in each hour, and an alarm that has been active for 20 hours. */
function historyOf(machineRef: MachineRef): readonly Sample[] {
  const samples = Array.from({ length: historyHours }, (_, hour) => {
    const ms = (hour - historyHours) * hourMs + machineRef * minute
    return [execution(ms, hour % 2 ? 'READY' : 'ACTIVE'), parts(ms + 1, hour)]
  }).flat()
  const alarm = condition(-20 * hourMs, 'WARNING', 'a')
  return of(machineRef, [...samples, alarm])
}

const liveOf = (machineRef: MachineRef): readonly Sample[] =>
  of(machineRef, [execution(10 * minute, 'ACTIVE'), execution(20 * minute, 'READY')])

describe('live hours during an import of history', function () {
  let database: TestDatabase
  let written: VersionedDocument[]
  /** Hours of the windows from which starts were derived. */
  let windows: Set<number>

  beforeEach(async () => {
    database = await freshDatabase()
    written = []
    windows = new Set()
  })

  afterEach(() => database.drop())

  async function takeOver(fence: number, nextOffset = 0): Promise<Partition> {
    const store = createDocumentStore(database.store)
    const readLatestSamples: DocumentStore['readLatestSamples'] = (company, refs, beforeMs) => {
      windows.add((startMs - beforeMs) / hourMs - 1)
      return store.readLatestSamples(company, refs, beforeMs)
    }
    const partition = new Partition({
      partition: 0,
      partitions: 1,
      fence,
      nextOffset,
      store: withMethods(store, { readLatestSamples }),
      clock: () => nowMs,
      inputs: memoryInputs(inputsFor),
      calendarOf: () => utcDays,
      onCurrent: () => undefined,
      onWritten: documents => written.push(...documents),
    })
    await partition.takeOver(machines, () => companyRef, [companyRef])
    return partition
  }

  async function work(partition: Partition, isEnough: () => boolean): Promise<number> {
    let slices = 0
    while (!isEnough()) {
      await partition.work()
      slices++
    }
    return slices
  }

  async function expectHours(hours: readonly number[], samplesOf: (machineRef: MachineRef) => readonly Sample[]) {
    for (const { ref } of machines) {
      const expected = compute(inputsFor(ref), samplesOf(ref), { fromMs, hours: historyHours + 1 })
      for (const hour of hours) {
        const found = await readDocument(database.store, companyRef, ref, startMs + hour * hourMs)
        expect(found && { ...found, version: 0n }, `machine ${ref}, hour ${hour}`).to.deep.equal({
          ...expected.at(historyHours + hour),
          version: 0n,
        })
      }
    }
  }

  it('The current and the previous hour are exact after a few slices of work, and the live offset waits for them', async () => {
    const partition = await takeOver(1)
    await partition.consume(
      machines.map(({ ref }) => message(historyOf(ref))),
      1,
    )
    await partition.consume(
      machines.map(({ ref }) => message(liveOf(ref))),
      2,
    )
    expect(partition.liveOffset, 'history that may change the live hours').to.equal(0)
    expect(partition.liveDirtyHours).to.be.greaterThan(0)

    const slices = await work(partition, () => partition.liveDirtyHours === 0)
    expect(slices).to.be.lessThan(6)
    expect([partition.liveOffset, partition.batches.doneOffset()]).to.deep.equal([2, 0])
    expect(partition.tracks.dirtyHours).to.be.greaterThan(machines.length * historyHours * 0.9)
    const all = (ref: MachineRef) => [...historyOf(ref), ...liveOf(ref)]
    await expectHours([-1, 0], all)
    const withAlarm = written.filter(({ slotMs, alarms }) => slotMs >= startMs - hourMs && alarms.length > 0)
    expect(withAlarm, 'alarms whose start is not final').to.deep.equal([])

    await work(partition, () => partition.tracks.dirtyHours === 0)
    expect(partition.batches.doneOffset()).to.equal(2)
    await expectHours([-historyHours, -500, -20, -2, -1, 0], all)
    expect(written.some(({ slotMs, alarms }) => slotMs === startMs - 20 * hourMs && alarms.length > 0)).to.equal(true)
  })

  it('Later live samples are exact at once: the derived start is used until older samples arrive', async () => {
    const partition = await takeOver(1)
    const all = machines.map(({ ref }) => message([...historyOf(ref), ...liveOf(ref)]))
    await partition.consume(all, 1)
    await work(partition, () => partition.liveDirtyHours === 0)
    const later = (ref: MachineRef) => of(ref, [execution(25 * minute, 'ACTIVE')])
    await partition.consume(
      machines.map(({ ref }) => message(later(ref))),
      2,
    )
    expect([partition.liveDirtyHours, partition.liveOffset]).to.deep.equal([0, 2])
    await expectHours([-1, 0], ref => [...historyOf(ref), ...liveOf(ref), ...later(ref)])
  })

  it('Live hours are exact after the slice that derives their start, although older samples follow', async () => {
    const partition = await takeOver(1)
    const isOld = ({ atUs }: Sample) => atUs < (startMs - 200 * hourMs) * 1000
    await partition.consume(
      machines.map(({ ref }) => message([...historyOf(ref).filter(each => !isOld(each)), ...liveOf(ref)])),
      1,
    )
    for (let slices = 0; slices < 2; slices++) await partition.work()
    await partition.consume(
      machines.map(({ ref }) => message(historyOf(ref).filter(isOld))),
      2,
    )
    expect(partition.liveDirtyHours, 'the starts are outdated').to.equal(machines.length)
    await expectHours([-1, 0], ref => [...historyOf(ref), ...liveOf(ref)])
  })

  it('Older hours of a batch are computed in the background if the partition has a backlog', async () => {
    const partition = await takeOver(1)
    written = []
    const ref = asMachineRef(1)
    await partition.consume([message(of(ref, [execution(-100 * hourMs, 'ACTIVE'), execution(minute, 'READY')]))], 1)
    expect(written.filter(({ slotMs }) => slotMs < startMs - 2 * hourMs)).to.deep.equal([])
    await work(partition, () => partition.tracks.dirtyHours === 0)
    written = []
    await partition.consume([message(of(ref, [execution(-100 * hourMs + minute, 'READY')]))], 2)
    expect(written.map(({ slotMs }) => (slotMs - startMs) / hourMs)).to.include(-100)
  })

  it('A new owner finds the hours between the history and the live hours', async () => {
    const first = await takeOver(1)
    const all = (ref: MachineRef) => [...historyOf(ref), ...liveOf(ref)]
    await first.consume(
      machines.map(({ ref }) => message(all(ref))),
      1,
    )
    await work(first, () => first.liveDirtyHours === 0)
    const dirtyHours = first.tracks.dirtyHours

    const second = await takeOver(2, 1)
    expect(second.tracks.dirtyHours).to.be.within(dirtyHours, dirtyHours + 2 * machines.length)
    await work(second, () => second.liveDirtyHours === 0)
    expect(second.tracks.dirtyHours).to.be.greaterThan(2_000)
    await work(second, () => second.tracks.dirtyHours === 0)
    await expectHours([-historyHours, -500, -20, -2, -1, 0], all)
  })

  it('A derived start is not used again after later samples, and its link is checked when the backlog is done', async () => {
    const ref = asMachineRef(1)
    const late = of(ref, [execution(-hourMs - 10 * minute, 'WAIT', 'path2'), execution(-30 * minute, 'READY', 'path2')])
    const partition = await takeOver(1)
    await partition.consume([message([...historyOf(ref), ...liveOf(ref)])], 1)
    await work(partition, () => partition.tracks.dirtyHours === 0)
    await partition.consume([message(late.slice(0, 1))], 2)
    await partition.recordsChanged([{ machineRef: ref, fromMs: startMs - 100 * hourMs, toMs: startMs - 100 * hourMs }])
    await partition.consume([message(late.slice(1))], 3)
    await work(partition, () => partition.tracks.dirtyHours === 0)
    const expected = compute(inputsFor(ref), [...historyOf(ref), ...liveOf(ref), ...late], {
      fromMs,
      hours: historyHours + 1,
    })
    for (const hour of [-2, -1, 0]) {
      const found = await readDocument(database.store, companyRef, ref, startMs + hour * hourMs)
      expect(found?.hashIn, `hour ${hour}`).to.equal(expected.at(historyHours + hour)?.hashIn)
    }
  })

  it('History that arrives after the live hours changes them before older hours are computed', async () => {
    const partition = await takeOver(1)
    await partition.consume(
      machines.map(({ ref }) => message(liveOf(ref))),
      1,
    )
    await work(partition, () => partition.tracks.dirtyHours === 0)
    await partition.consume(
      machines.map(({ ref }) => message(historyOf(ref))),
      2,
    )
    expect(partition.liveOffset).to.equal(1)
    expect(windows, 'windows of machines without samples before').to.include(512)
    windows.clear()
    await work(partition, () => partition.liveDirtyHours === 0)
    expect([...windows].sort((a, b) => a - b)).to.deep.equal([8, 64])
    expect([partition.liveOffset, partition.batches.doneOffset()]).to.deep.equal([2, 1])
    await expectHours([-1, 0], ref => [...historyOf(ref), ...liveOf(ref)])
  })
})
