import { expect } from 'chai'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { readDocument } from '../../support/read-document.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import type { Sample } from '../../../schema/sample.ts'
import type { StateSamplesMessage } from '../../../schema/topics.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { compute, condition, execution, inputsOf, startMs } from '../timeline/support.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'

const utcDays = { bounds: 'UTC', calendar: createCalendar(defaultCompanySettings, null) }
const nowMs = startMs + 2 * hourMs - 1
const createdMs = startMs - 3_000 * hourMs

const machineOf = (ref: number): MachineRecord => ({
  ...defaultMachineSettings,
  id: `b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c1${ref}`,
  ref: asMachineRef(ref),
  companyId: 'c',
  name: `Machine ${ref}`,
  createdAt: new Date(startMs).toISOString(),
})

const inputsFor = (machineRef: MachineRef, atMs = startMs) =>
  inputsOf({}, { machineRef, commissioned: { fromMs: null, createdMs: atMs, toMs: null } })

const of = (machineRef: MachineRef, samples: readonly Sample[]): readonly Sample[] =>
  samples.map(sample => ({ ...sample, machineRef }))

function message(samples: readonly Sample[]): StateSamplesMessage {
  const seen = samples.map(
    ({ machineRef, atUs }) => [machineRef, Math.floor(atUs / 1000), Math.floor(atUs / 1000)] as const,
  )
  return { samples, seen }
}

describe('one machine among others', function () {
  this.timeout(120_000)
  let database: TestDatabase
  let passedOver: (readonly [number, number])[]

  beforeEach(async () => {
    database = await freshDatabase()
    passedOver = []
  })

  afterEach(() => database.drop())

  async function takeOver(fence: number, atMs = startMs): Promise<Partition> {
    const partition = new Partition({
      partition: 0,
      partitions: 1,
      fence,
      store: createDocumentStore(database.store),
      clock: () => nowMs,
      inputsOf: ref => inputsFor(ref, atMs),
      calendarOf: () => utcDays,
      onCurrent: () => undefined,
      onPassedOver: (machineRef, _, samples) => passedOver.push([machineRef, samples]),
    })
    await partition.takeOver([machineOf(1), machineOf(2)], () => asCompanyRef(1), [asCompanyRef(1)])
    while (await partition.work());
    return partition
  }

  async function workToTheEnd(partition: Partition): Promise<void> {
    while (partition.dirtyHours > 0) await partition.work()
  }

  async function stored(machineRef: MachineRef, slotMs: number) {
    const document = await readDocument(database.store, asCompanyRef(1), machineRef, slotMs)
    if (!document) return null
    const { version: _, ...rest } = document
    return rest
  }

  it('with a storm of samples waits for its documents while others have theirs; nothing of it is committed before', async () => {
    const partition = await takeOver(1)
    const storm = of(
      asMachineRef(1),
      Array.from({ length: 30_000 }, (_, i) => execution(i * 100, i % 2 ? 'READY' : 'ACTIVE')),
    )
    const quiet = of(asMachineRef(2), [execution(5_000, 'ACTIVE')])
    await partition.take([message([...storm, ...quiet])], 1)
    const expected = compute(inputsFor(asMachineRef(2)), quiet, { hours: 2 })
    expect(await stored(asMachineRef(2), startMs)).to.deep.equal(expected[0])
    expect((await stored(asMachineRef(1), startMs))?.segments.length).to.equal(1)
    expect([partition.nextOffset, partition.doneOffset, partition.liveOffset]).to.deep.equal([1, 0, 0])
    expect(partition.liveDirtyHours).to.be.greaterThan(0)

    await workToTheEnd(partition)
    expect([partition.doneOffset, partition.liveOffset]).to.deep.equal([1, 1])
    expect(await stored(asMachineRef(1), startMs)).to.deep.equal(
      compute(inputsFor(asMachineRef(1)), storm, { hours: 2 })[0],
    )
  })

  it('with a sample in each of thousands of hours has its newest hours at once, and the others follow', async () => {
    const partition = await takeOver(1, createdMs)
    const old = Array.from({ length: 2_000 }, (_, i) => execution(-(i + 10) * hourMs, i % 2 ? 'READY' : 'ACTIVE'))
    const samples = of(asMachineRef(1), [...old, execution(5_000, 'ACTIVE')])
    await partition.take([message(samples)], 1)
    expect(
      (await stored(asMachineRef(1), startMs))?.segments.map(({ start, inCycle }) => [start, inCycle]),
    ).to.deep.equal([
      [0, false],
      [5_000, true],
    ])
    expect(partition.dirtyHours).to.be.greaterThan(1_000)
    await partition.work()
    expect(partition.liveDirtyHours, 'live hours go first').to.equal(0)
    expect((await stored(asMachineRef(1), startMs + hourMs))?.facts[0]?.inCycleMs).to.equal(hourMs)
    expect(partition.dirtyHours).to.be.greaterThan(1_000)
    expect([partition.doneOffset, partition.liveOffset]).to.deep.equal([0, 1])

    await workToTheEnd(partition)
    expect(partition.doneOffset).to.equal(1)
    expect((await stored(asMachineRef(1), startMs - 10 * hourMs))?.facts[0]?.inCycleMs).to.equal(hourMs)
  })

  it('tells that samples of it were passed over, as they raise more conditions than a machine may have', async () => {
    const partition = await takeOver(1)
    const raised = Array.from({ length: 1_500 }, (_, i) => condition(i, 'FAULT', `code ${i}`))
    await partition.take([message(of(asMachineRef(1), raised))], 1)
    expect(passedOver).to.deep.equal([[1, 500]])
    await partition.take([message(of(asMachineRef(1), [execution(5_000, 'ACTIVE')]))], 2)
    expect(passedOver, 'and not again').to.deep.equal([[1, 500]])
  })
})
