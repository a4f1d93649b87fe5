import { expect } from 'chai'
import * as fc from 'fast-check'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { readDocument } from '../../support/read-document.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { Partition, type PartitionDeps } from '../../../processors/partitions/partition.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { type HourDocument } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import type { Sample, ActivityMinute } from '../../../schema/sample.ts'
import type { StateSamplesMessage } from '../../../schema/topics.ts'
import { freshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { anyArrival, anyInputs, anySamples, anySeen, spreadHours } from '../timeline/arbitraries.ts'
import { compute, execution, inputsOf, parts, startMs } from '../timeline/support.ts'
import { lathe as machine } from './lathe.ts'
import { memoryInputs } from './memory-inputs.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

const nowMs = startMs + spreadHours * hourMs - 1

/** The machine is created when the test period begins, so its documents begin then too. */
const plain = inputsOf({}, { commissioned: { fromMs: null, createdMs: startMs, toMs: null } })

const utcDays = { bounds: 'UTC', calendar: createCalendar(defaultCompanySettings, null) }

let fence = 0

/** Returns an owner that has just taken over; it reads its inputs from `current`. */
async function takeOver(
  store: Store,
  current: { inputs: MachineInputs },
  calendarOf: PartitionDeps['calendarOf'] = () => utcDays,
  onWritten: PartitionDeps['onWritten'] = () => undefined,
): Promise<Partition> {
  const partition = new Partition({
    partition: 0,
    partitions: 1,
    fence: ++fence,
    store: createDocumentStore(store),
    clock: () => nowMs,
    inputs: memoryInputs(() => current.inputs),
    calendarOf,
    isWatched: () => true,
    onCurrent: () => undefined,
    onWritten,
  })
  await partition.takeOver([machine], () => asCompanyRef(1), [asCompanyRef(1)])
  return partition
}

async function workThrough(partition: Partition): Promise<void> {
  while (await partition.work());
}

function seenOf(samples: readonly Sample[]): readonly ActivityMinute[] {
  return samples
    .map(({ atUs }) => Math.floor(atUs / 1000))
    .sort((a, b) => a - b)
    .map(ms => ({ machineRef: asMachineRef(1), firstMs: ms, lastMs: ms }))
}

function message(samples: readonly Sample[], seen: readonly ActivityMinute[] = []): StateSamplesMessage {
  return {
    samples,
    seen: [...seenOf(samples), ...seen].map(({ machineRef, firstMs, lastMs }) => [machineRef, firstMs, lastMs]),
  }
}

/** Returns the stored documents of all hours that have one. */
async function stored(store: Store): Promise<readonly HourDocument[]> {
  const slots = Array.from({ length: spreadHours }, (_, hour) => startMs + hour * hourMs)
  const documents = await Promise.all(
    slots.map(slotMs => readDocument(store, asCompanyRef(1), asMachineRef(1), slotMs)),
  )
  return documents.flatMap(document => (document ? [withoutVersion(document)] : []))
}

function withoutVersion(document: HourDocument & { readonly version?: bigint }): HourDocument {
  const copy = { ...document }
  delete copy.version
  return copy
}

function byStart(seen: readonly ActivityMinute[]): readonly ActivityMinute[] {
  return [...seen].sort((a, b) => a.firstMs - b.firstMs)
}

/** Random samples with few sequence numbers, some of whose keys have two spellings. */
function anyNumbered(): fc.Arbitrary<Sample[]> {
  const anyNumber = fc.option(fc.record({ instanceId: fc.constantFrom(1, 2), sequence: fc.nat(12) }), { freq: 4 })
  return anySamples().chain(samples =>
    fc.array(fc.tuple(anyNumber, fc.boolean()), { minLength: samples.length, maxLength: samples.length }).map(drawn =>
      samples.map((sample, index) => {
        const [numbers = null, isUpper = false] = drawn[index] ?? []
        return Object.assign({}, sample, numbers, isUpper && { key: `${sample.key.toUpperCase()}_` })
      }),
    ),
  )
}

/** Returns the samples without later copies of the same number and key. */
function firstsOfNumbers(samples: readonly Sample[]): readonly Sample[] {
  const spelled = (key: string) => key.replaceAll('_', '').toUpperCase()
  return samples.filter(
    one =>
      one.sequence === null ||
      !samples.some(
        other =>
          other.sequence === one.sequence &&
          other.instanceId === one.instanceId &&
          spelled(other.key) === spelled(one.key) &&
          other.atUs < one.atUs,
      ),
  )
}

describe('partition of state samples', function () {
  for (const [what, samplesOf, counting] of [
    ['samples without numbers', anySamples, (samples: readonly Sample[]) => samples],
    ['samples with numbers that several keys and several samples of one key share', anyNumbered, firstsOfNumbers],
  ] as const)
    it(`Stored documents equal one pass over all samples, in any arrival order, with take-overs and changed inputs: ${what}`, () =>
      forAll(
        fc.asyncProperty(
          fc.tuple(anyInputs(), anyInputs()),
          samplesOf().chain(anyArrival),
          anySeen(),
          fc.array(fc.constantFrom('take', 'take', 'work', 'takeOver', 'change'), { minLength: 3, maxLength: 8 }),
          async ([first, last], [samples, arrived], seen, steps) => {
            const database = await freshDatabase()
            const { store } = database
            try {
              const current = { inputs: first }
              let partition = await takeOver(store, current)
              const takes = steps.filter(step => step === 'take').length
              const size = Math.ceil(arrived.length / (takes + 1))
              let taken = 0
              const consumeNext = (count: number) => {
                const part = arrived.slice(taken, taken + count)
                taken += count
                return partition.consume([message(part, taken === count ? seen : [])])
              }
              for (const step of steps) {
                if (step === 'take') await consumeNext(size)
                if (step === 'work') await partition.work()
                if (step === 'takeOver') partition = await takeOver(store, current)
                if (step === 'change') {
                  current.inputs = last
                  await partition.recordsChanged([{ machineRef: asMachineRef(1), fromMs: 0, toMs: null }])
                }
              }
              current.inputs = last
              await consumeNext(arrived.length)
              await partition.recordsChanged([{ machineRef: asMachineRef(1), fromMs: 0, toMs: null }])
              await workThrough(partition)

              const documents = await stored(store)
              const expected = compute(last, counting(samples), {
                hours: spreadHours,
                seen: byStart([...seenOf(samples), ...seen]),
              })
              const from = expected.length - documents.length
              expect(from).to.be.lessThan(spreadHours)
              expect(documents).to.deep.equal(expected.slice(from))
              expect(expected.slice(0, from).flatMap(({ segments }) => segments)).to.deep.equal([])
            } finally {
              await database.drop()
            }
          },
        ),
        { numRuns: 3 },
      ))

  it('After a take-over, the work of a machine with staleAfterMs and a single document ends', async () => {
    const database = await freshDatabase()
    const { store } = database
    try {
      const current = { inputs: { ...plain, settings: { ...plain.settings, staleAfterMs: 60_000 } } }
      // The first owner ends after it has computed the first hour only.
      await (await takeOver(store, current)).consume([message([execution(10, 'ACTIVE')])])
      const second = await takeOver(store, current)
      let turns = 0
      while (turns < 20 && (await second.work())) turns++
      expect(turns).to.be.lessThan(20)
      expect(second.tracks.dirtyHours).to.equal(0)
    } finally {
      await database.drop()
    }
  })

  it('The first hour is recomputed for activity before its first minute, but not for later activity', async () => {
    const database = await freshDatabase()
    try {
      const slotMs = startMs + (spreadHours - 1) * hourMs
      const seenAt = (ms: number): ActivityMinute => ({ machineRef: asMachineRef(1), firstMs: ms, lastMs: ms })
      const current = {
        inputs: inputsOf({}, { commissioned: { fromMs: null, createdMs: slotMs + 60_000, toMs: null } }),
      }
      const written: number[] = []
      const onWritten: PartitionDeps['onWritten'] = documents => written.push(...documents.map(each => each.slotMs))
      const partition = await takeOver(database.store, current, () => utcDays, onWritten)
      await partition.consume([message([], [seenAt(slotMs + 120_000)])])
      expect(written).to.deep.equal([slotMs])
      await partition.consume([message([], [seenAt(slotMs + 121_000), seenAt(slotMs + 240_000)])])
      expect(written).to.deep.equal([slotMs])
      await partition.consume([message([], [seenAt(slotMs + 30_000)])])
      expect(written).to.deep.equal([slotMs, slotMs])
      const document = await readDocument(database.store, asCompanyRef(1), asMachineRef(1), slotMs)
      expect(document?.facts.map(({ first }) => first)).to.deep.equal([30_000])
    } finally {
      await database.drop()
    }
  })

  it('A take-over computes the hours that a crash left dirty', async () => {
    const database = await freshDatabase()
    const { store } = database
    try {
      const current = { inputs: plain }
      const crashed = await takeOver(store, current)
      await crashed.consume([message([execution(10, 'ACTIVE'), execution(3 * hourMs, 'READY')])])
      await workThrough(crashed)
      // The hour of the late sample is stored before the batch is committed; later hours are not.
      await crashed.consume([message([execution(20, 'STOPPED')])])
      expect(crashed.tracks.dirtyHours).to.be.greaterThan(0)

      await workThrough(await takeOver(store, current))
      const samples = [execution(10, 'ACTIVE'), execution(20, 'STOPPED'), execution(3 * hourMs, 'READY')]
      expect(await stored(store)).to.deep.equal(compute(plain, samples, { hours: spreadHours }))
    } finally {
      await database.drop()
    }
  })

  it('A rebuild recomputes every hour from the first stored sample, once for each rebuild id', async () => {
    const database = await freshDatabase()
    const { store } = database
    try {
      const partition = await takeOver(store, { inputs: plain })
      await partition.consume([message([execution(10, 'ACTIVE'), execution(3 * hourMs, 'READY')])])
      await workThrough(partition)
      // A previous owner stored this sample; its documents are lost.
      await createDocumentStore(store).writeSamples(asCompanyRef(1), [execution(-hourMs, 'READY')])
      await store.command(
        sql`ALTER TABLE hours UPDATE facts_duration_ms = arrayMap(x -> 7, facts_duration_ms) WHERE 1`,
        {
          settings: { mutations_sync: 2 },
        },
      )

      const totalHours = spreadHours + 1
      for (const again of [1, 2]) {
        await partition.startRebuild('first', again === 1 ? asCompanyRef(1) : null)
        expect(partition.rebuilds.progress).to.deep.equal([
          { id: 'first', totalHours, leftHours: again === 1 ? totalHours : 0 },
        ])
        await workThrough(partition)
      }
      const before = await readDocument(store, asCompanyRef(1), asMachineRef(1), startMs - hourMs)
      expect(before?.facts.map(({ durationMs }) => durationMs)).to.deep.equal([hourMs])
      const durations = (await stored(store)).map(({ facts }) => facts.reduce((sum, fact) => sum + fact.durationMs, 0))
      expect(durations).to.deep.equal(Array.from({ length: spreadHours }, () => hourMs))
      partition.rebuilds.forget('first')
      expect(partition.rebuilds.progress).to.deep.equal([])
    } finally {
      await database.drop()
    }
  })

  it('A machine whose company has no calendar gets hourly documents but no day documents', async () => {
    const database = await freshDatabase()
    const { store } = database
    try {
      const partition = await takeOver(store, { inputs: plain }, () => undefined)
      await partition.consume([message([execution(10, 'ACTIVE')])])
      await workThrough(partition)
      expect(await stored(store)).to.have.length(spreadHours)
      expect(await partition.workOnDays()).to.equal(null)
    } finally {
      await database.drop()
    }
  })

  it('The earliest of numbered copies counts, whatever hours the copies lie in and in any arrival order', async () => {
    const numbered = { instanceId: 5, sequence: 77 }
    const first = parts(2 * hourMs - 1, 10, numbered)
    const second = parts(2 * hourMs + 1, 10, numbered)
    const others = [parts(0, 1), parts(3 * hourMs, 12)]
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const database = await freshDatabase()
      const { store } = database
      try {
        const partition = await takeOver(store, { inputs: plain })
        await partition.consume([message(others)])
        for (const sample of order) await partition.consume([message([sample])])
        await workThrough(partition)
        const documents = await stored(store)
        expect(documents.map(document => document.parts.map(({ parts }) => parts))).to.deep.equal([[], [9], [], [2]])
      } finally {
        await database.drop()
      }
    }
  })
})
