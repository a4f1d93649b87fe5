import { expect } from 'chai'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import type { HourDocument } from '../../../schema/document.ts'
import type { DocumentStore } from '../../../schema/document-store.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import type { ActivityMinute, Sample } from '../../../schema/sample.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { readDocument } from '../../support/read-document.ts'
import { compute, execution, inputsOf, parts, startMs } from '../timeline/support.ts'
import { lathe as machine } from './lathe.ts'
import { memoryInputs } from './memory-inputs.ts'
import { message } from './messages.ts'

const nowMs = startMs + 2 * hourMs - 1
const inputs = inputsOf({}, { commissioned: { fromMs: null, createdMs: startMs, toMs: null } })
const utcDays = { bounds: 'UTC', calendar: createCalendar(defaultCompanySettings, null) }

describe('recompute', () => {
  let database: TestDatabase
  let fence = 0

  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(() => database.drop())

  /** Takes over with the first sample in the documents, so that both hours are in memory. `passed` gets the documents that are passed on. */
  async function takeOver(documents: DocumentStore, passed: HourDocument[] = [], own = inputs): Promise<Partition> {
    const partition = new Partition({
      partition: 0,
      partitions: 1,
      fence: ++fence,
      store: documents,
      clock: () => nowMs,
      inputs: memoryInputs(() => own),
      calendarOf: () => utcDays,
      isWatched: () => true,
      onCurrent: () => undefined,
      onStored: each => passed.push(...each),
    })
    await partition.takeOver([machine], () => asCompanyRef(1), [asCompanyRef(1)])
    while (await partition.work());
    await partition.consume([message([first])], 1)
    while (await partition.work());
    passed.length = 0
    return partition
  }

  const first = execution(10, 'ACTIVE')
  const second = execution(20_000, 'READY')

  /** A store that stores samples at the second call only after `writeDocuments`, as `end` resolves or rejects. */
  function afterDocuments(end: () => Promise<void>): DocumentStore {
    const real = createDocumentStore(database.store)
    const written = deferred<void>()
    let calls = 0
    return {
      ...real,
      async writeSamples(...of) {
        if (++calls === 2) await written.promise.then(end)
        await real.writeSamples(...of)
      },
      async writeDocuments(documents) {
        await real.writeDocuments(documents)
        if (calls === 2) written.resolve()
      },
    }
  }

  async function expectStored(samples: readonly Sample[], own = inputs, seen: readonly ActivityMinute[] = []) {
    const stored = await readDocument(database.store, asCompanyRef(1), asMachineRef(1), startMs)
    const { version: _, ...document } = stored ?? { version: 0n }
    expect(document).to.deep.equal(compute(own, samples, { hours: 2, seen })[0])
  }

  it('The document of an hour in memory is stored beside its samples, and passed on after both', async () => {
    const passed: HourDocument[] = []
    const before: number[] = []
    const partition = await takeOver(
      afterDocuments(async () => {
        await expectStored([first, second])
        before.push(passed.length, partition.batches.doneOffset())
      }),
      passed,
    )
    await partition.consume([message([second])], 2)
    expect(before, 'documents that are passed on, and committed offset, before the samples are stored').to.deep.equal([
      0, 1,
    ])
    expect([passed.length, partition.batches.doneOffset()]).to.deep.equal([1, 2])
  })

  for (const who of ['the same', 'the next'])
    it(`If the samples are not stored, ${who} owner reads the batch again, and nothing was derived from its documents`, async () => {
      const passed: HourDocument[] = []
      const failing = await takeOver(
        afterDocuments(() => Promise.reject(new Error('The process was killed'))),
        passed,
      )
      const failed = await failing.consume([message([second])], 2).then(
        () => null,
        (error: unknown) => error,
      )
      expect(failed).to.be.an('error')
      await expectStored([first, second])
      expect([passed.length, failing.batches.doneOffset()]).to.deep.equal([0, 1])
      const next = who === 'the same' ? failing : await takeOver(createDocumentStore(database.store), passed)
      await next.consume([message([second])], 2)
      await expectStored([first, second])
      expect([passed.length, next.batches.doneOffset()]).to.deep.equal([1, 2])
      await next.startRebuild('again', null)
      while (await next.work());
      await expectStored([first, second])
    })

  it('Activity of an hour whose document could not be stored counts when the batch is read again', async () => {
    const staleInputs = { ...inputs, settings: { ...inputs.settings, staleAfterMs: 10 * minuteMs } }
    const real = createDocumentStore(database.store)
    let fails = false
    const partition = await takeOver(
      {
        ...real,
        writeDocuments: documents => (fails ? Promise.reject(new Error('No disk')) : real.writeDocuments(documents)),
      },
      [],
      staleInputs,
    )
    const seenMs = startMs + 15 * minuteMs
    const activity = { samples: [], seen: [[asMachineRef(1), seenMs, seenMs]] } as const
    fails = true
    const error = await partition.consume([activity], 2).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.be.an('error')
    fails = false
    await partition.consume([activity], 2)
    expect(partition.batches.doneOffset()).to.equal(2)
    const seen = [10, 15 * minuteMs].map(ms => ({
      machineRef: asMachineRef(1),
      firstMs: startMs + ms,
      lastMs: startMs + ms,
    }))
    await expectStored([first], staleInputs, seen)
  })

  it('No document counts a copy of a numbered sample, not even until the copy is found', async () => {
    const numbered = { instanceId: 5, sequence: 77 }
    const made = [parts(30_000, 1), parts(40_000, 3, numbered)]
    const passed: HourDocument[] = []
    const real = createDocumentStore(database.store)
    const written: HourDocument[] = []
    const partition = await takeOver(
      {
        ...real,
        writeDocuments: documents => {
          written.push(...documents)
          return real.writeDocuments(documents)
        },
      },
      passed,
    )
    await partition.consume([message(made)], 2)
    while (await partition.work());
    await partition.consume([message([parts(hourMs + 50_000, 9, numbered)])], 3)
    while (await partition.work());
    const later = written.filter(({ slotMs }) => slotMs > startMs).map(document => document.parts)
    expect(later).to.have.length.above(0)
    expect(later.flat(), 'parts of the hour of the copy').to.deep.equal([])
    await expectStored([first, ...made])
  })
})
