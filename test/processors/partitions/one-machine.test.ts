import { expect } from 'chai'
import { storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { fromStoredHours, type HourKeys } from '../../../clickhouse/tables/stored-hours.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { readDocument } from '../../support/read-document.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { compute, condition, execution, inputsOf, startMs } from '../timeline/support.ts'
import { memoryInputs } from './memory-inputs.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { message, of } from './messages.ts'

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

describe('partition with one machine of high load', function () {
  let database: TestDatabase
  let skippedSamples: (readonly [number, number])[]

  beforeEach(async () => {
    database = await freshDatabase()
    skippedSamples = []
  })

  afterEach(() => database.drop())

  async function takeOver(
    fence: number,
    atMs = startMs,
    store = createDocumentStore(database.store),
  ): Promise<Partition> {
    const partition = new Partition({
      partition: 0,
      partitions: 1,
      fence,
      store,
      clock: () => nowMs,
      inputs: memoryInputs(ref => inputsFor(ref, atMs)),
      calendarOf: () => utcDays,
      onCurrent: () => undefined,
      onSkippedSamples: (machineRef, _, samples) => skippedSamples.push([machineRef, samples]),
    })
    await partition.takeOver([machineOf(1), machineOf(2)], () => asCompanyRef(1), [asCompanyRef(1)])
    while (await partition.work());
    return partition
  }

  async function workToTheEnd(partition: Partition): Promise<void> {
    while (partition.tracks.dirtyHours > 0) await partition.work()
  }

  async function stored(machineRef: MachineRef, slotMs: number) {
    const document = await readDocument(database.store, asCompanyRef(1), machineRef, slotMs)
    if (!document) return null
    const { version: _, ...rest } = document
    return rest
  }

  async function hashes(keys: HourKeys) {
    const query = sql`SELECT toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, toString(hash_in) AS hashIn, toString(hash_out) AS hashOut
      ${fromStoredHours(asCompanyRef(1), keys)} ORDER BY slot`
    const found = await rows(database.store, query, { slotMs: wide, hashIn: storedText, hashOut: storedText })
    return found.map(({ slotMs, hashIn, hashOut }) => [slotMs, hashIn, hashOut])
  }

  it('A machine with 30,000 samples an hour delays only its own documents, and its offset is committed after them', async () => {
    const partition = await takeOver(1)
    const storm = of(
      asMachineRef(1),
      Array.from({ length: 30_000 }, (_, i) => execution(i * 100, i % 2 ? 'READY' : 'ACTIVE')),
    )
    const quiet = of(asMachineRef(2), [execution(5_000, 'ACTIVE')])
    await partition.consume([message([...storm, ...quiet])], 1)
    const expected = compute(inputsFor(asMachineRef(2)), quiet, { hours: 2 })
    expect(await stored(asMachineRef(2), startMs)).to.deep.equal(expected[0])
    expect((await stored(asMachineRef(1), startMs))?.segments.length).to.equal(1)
    expect([partition.batches.nextOffset, partition.batches.doneOffset(), partition.liveOffset]).to.deep.equal([
      1, 0, 0,
    ])
    expect(partition.liveDirtyHours).to.be.greaterThan(0)

    await workToTheEnd(partition)
    expect([partition.batches.doneOffset(), partition.liveOffset]).to.deep.equal([1, 1])
    expect(await stored(asMachineRef(1), startMs)).to.deep.equal(
      compute(inputsFor(asMachineRef(1)), storm, { hours: 2 })[0],
    )
  })

  it('A machine with samples in 2,000 hours gets its newest hours first', async () => {
    const partition = await takeOver(1, createdMs)
    const old = Array.from({ length: 2_000 }, (_, i) => execution(-(i + 10) * hourMs, i % 2 ? 'READY' : 'ACTIVE'))
    const samples = of(asMachineRef(1), [...old, execution(5_000, 'ACTIVE')])
    await partition.consume([message(samples)], 1)
    expect(
      (await stored(asMachineRef(1), startMs))?.segments.map(({ start, inCycle }) => [start, inCycle]),
    ).to.deep.equal([
      [0, false],
      [5_000, true],
    ])
    expect(partition.tracks.dirtyHours).to.be.greaterThan(1_000)
    // The start of the live hours is not in the first window, is derived from the second one, and the live hours are computed.
    for (let slices = 0; slices < 2; slices++) await partition.work()
    expect(partition.liveDirtyHours, 'dirty live hours, which are computed first').to.equal(0)
    expect((await stored(asMachineRef(1), startMs + hourMs))?.facts[0]?.inCycleMs).to.equal(hourMs)
    expect(partition.tracks.dirtyHours).to.be.greaterThan(1_000)
    expect([partition.batches.doneOffset(), partition.liveOffset]).to.deep.equal([0, 1])

    await workToTheEnd(partition)
    expect(partition.batches.doneOffset()).to.equal(1)
    expect((await stored(asMachineRef(1), startMs - 10 * hourMs))?.facts[0]?.inCycleMs).to.equal(hourMs)
  })

  it('A machine with a first sample years ago has correct documents after late data, a rebuild and a take-over', async () => {
    const fromMs = Date.UTC(2023, 9, 28, 3)
    const inputs = inputsFor(asMachineRef(1), fromMs)
    const partition = await takeOver(1, fromMs)
    const samples = of(asMachineRef(1), [execution(fromMs - startMs + 5_000, 'ACTIVE')])
    await partition.consume([message(samples)], 1)
    const late = of(asMachineRef(1), [
      execution(Date.UTC(2024, 1, 29, 7) - startMs, 'ACTIVE'),
      execution(Date.UTC(2024, 1, 29, 9, 30) - startMs, 'STOPPED'),
    ])
    const steps = [
      async () => workToTheEnd(partition),
      async () => partition.consume([message(late)], 2),
      async () => partition.startRebuild('again', null),
      async () => workToTheEnd(await takeOver(2, fromMs)),
    ]
    const keys = { fromMs, toMs: startMs, machines: [asMachineRef(1)] }
    for (const [i, step] of steps.entries()) {
      await step()
      while (await partition.work());
      const taken = [...samples, ...(i > 0 ? late : [])]
      const expected = compute(inputs, taken, { fromMs, hours: (startMs - fromMs) / hourMs })
      expect(await hashes(keys)).to.deep.equal(expected.map(({ slotMs, hashIn, hashOut }) => [slotMs, hashIn, hashOut]))
      for (const at of [0, 1, 2_000, Math.round((Date.UTC(2024, 1, 29, 8) - fromMs) / hourMs), 10_343, 10_344]) {
        const { slotMs } = expected[at] ?? { slotMs: 0 }
        expect(await stored(asMachineRef(1), slotMs), `step ${i}, hour ${at}`).to.deep.equal(expected[at])
      }
    }
    const [kept] = await database.store.query(
      sql`SELECT toUInt32(sum(length(slots))) > 10000 AS isMost FROM repeated_hours`,
    )
    expect(kept).to.deep.equal({ isMost: 1 })
  })

  it('Hours after a long time without samples are computed from at most 200,000 samples per read', async () => {
    const fromMs = Date.UTC(2023, 9, 28, 3)
    const store = createDocumentStore(database.store)
    const read: number[] = []
    const partition = await takeOver(1, fromMs, {
      ...store,
      async readSamples(...asked) {
        const samples = await store.readSamples(...asked)
        read.push(samples.length)
        return samples
      },
    })
    // One sample a minute for 200 days, after 200 days with a single sample.
    const many = Array.from({ length: 288_000 }, (_, i) =>
      execution(fromMs - startMs + 200 * 24 * hourMs + i * 60_000, i % 2 ? 'READY' : 'ACTIVE'),
    )
    const samples = of(asMachineRef(1), [execution(fromMs - startMs, 'ACTIVE'), ...many])
    await partition.consume([message(samples.slice(0, 1))], 1)
    await partition.consume([message(samples.slice(1))], 2)
    await workToTheEnd(partition)
    expect(Math.max(...read)).to.be.at.most(200_000)
    const inCycle = async (hour: number) =>
      (await stored(asMachineRef(1), fromMs + hour * hourMs))?.facts.reduce((sum, fact) => sum + fact.inCycleMs, 0)
    expect([await inCycle(4_800), await inCycle(9_599)]).to.deep.equal([hourMs / 2, hourMs / 2])
  })

  it('Samples beyond the limit of 1,000 active conditions are reported as skipped, once', async () => {
    const partition = await takeOver(1)
    const raised = Array.from({ length: 1_500 }, (_, i) => condition(i, 'FAULT', `code ${i}`))
    await partition.consume([message(of(asMachineRef(1), raised))], 1)
    expect(skippedSamples).to.deep.equal([[1, 500]])
    await partition.consume([message(of(asMachineRef(1), [execution(5_000, 'ACTIVE')]))], 2)
    expect(skippedSamples, 'and not again').to.deep.equal([[1, 500]])
  })
})
