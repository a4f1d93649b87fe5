import { expect } from 'chai'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import { hashState } from '../../../processors/timeline/state.ts'
import type { HourDocument } from '../../../schema/document.ts'
import type { VersionedDocument } from '../../../schema/document-store.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import type { Sample } from '../../../schema/sample.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { readDocument } from '../../support/read-document.ts'
import { compute, execution, inputsOf, must, parts, partsOf, second, startMs } from '../timeline/support.ts'

const company = asCompanyRef(1)
const counting = asMachineRef(1)
const other = asMachineRef(2)
const hours = 4
const nowMs = startMs + hours * hourMs - 1
const utcDays = { bounds: 'UTC', calendar: createCalendar(defaultCompanySettings, null) }

const inputsFor = (machineRef: MachineRef) =>
  inputsOf({}, { machineRef, commissioned: { fromMs: null, createdMs: startMs, toMs: null } })

const machineOf = (ref: MachineRef): MachineRecord => ({
  ...defaultMachineSettings,
  id: `b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c1${ref}`,
  ref,
  companyId: 'c',
  name: `Machine ${ref}`,
  createdAt: new Date(startMs).toISOString(),
})

/** Samples with a repeated dip, which the earlier version counted as 901 parts in its last hour. */
const samples = [parts(0, 900), parts(hourMs, 0), parts(hourMs + second, 0), parts(2 * hourMs, 901)]
const otherSamples = [{ ...execution(second, 'ACTIVE'), machineRef: other }]

const messageOf = (taken: readonly Sample[]) => ({
  samples: taken,
  seen: taken.map(({ machineRef, atUs }) => [machineRef, atUs / 1000, atUs / 1000] as const),
})

/** Returns the documents as the earlier version stored them, with different state texts, hashes and parts. */
function previous(documents: readonly HourDocument[]): readonly HourDocument[] {
  const texts = documents.map(({ stateOut }) =>
    stateOut.replaceAll(/"dip":[^}]*\}?,"spikeFrom":null/g, '"glitch":{"before":900,"added":0}'),
  )
  return documents.map((document, index) =>
    Object.assign(document, {
      parts: document.parts.map(part => Object.assign(part, { parts: 901 })),
      stateOut: must(texts[index]),
      hashIn: index === 0 ? document.hashIn : hashState(must(texts[index - 1])),
      hashOut: hashState(must(texts[index])),
    }),
  )
}

describe('documents of a version with earlier rules for part counters', function () {
  let database: TestDatabase
  let written: VersionedDocument[]

  beforeEach(async () => {
    database = await freshDatabase()
    written = []
    const before = await takeOver(1)
    await before.consume([messageOf([...samples, ...otherSamples])], 1)
    await workToTheEnd(before)
    const documents = previous(compute(inputsFor(counting), samples, { hours }))
    expect(must(documents[2]).stateOut).to.contain('"glitch"')
    await createDocumentStore(database.store).writeDocuments(
      documents.map((document, index) => Object.assign(document, { version: (2n << 40n) + BigInt(index) })),
    )
    written = []
  })

  afterEach(() => database.drop())

  async function takeOver(fence: number): Promise<Partition> {
    const partition = new Partition({
      partition: 0,
      partitions: 1,
      fence,
      store: createDocumentStore(database.store),
      clock: () => nowMs,
      inputsOf: inputsFor,
      calendarOf: () => utcDays,
      onCurrent: () => undefined,
      onWritten: documents => written.push(...documents),
    })
    await partition.takeOver([counting, other].map(machineOf), () => company, [company])
    return partition
  }

  async function workToTheEnd(partition: Partition): Promise<void> {
    while (partition.tracks.dirtyHours > 0) await partition.work()
  }

  async function stored(): Promise<unknown[]> {
    const documents: unknown[] = []
    for (let slotMs = startMs; slotMs < startMs + hours * hourMs; slotMs += hourMs) {
      const document = await readDocument(database.store, company, counting, slotMs)
      const { version: _, ...rest } = must(document ?? undefined)
      documents.push(rest)
    }
    return documents
  }

  it('Outdated documents are recomputed once, only for machines with a part counter', async () => {
    await workToTheEnd(await takeOver(3))
    expect(new Set(written.map(({ machineRef }) => machineRef))).to.deep.equal(new Set([counting]))
    const expected = compute(inputsFor(counting), samples, { hours })
    expect(expected.map(partsOf)).to.deep.equal([[], [], [[0, 1]], []])
    expect(await stored()).to.deep.equal(expected)

    written = []
    expect((await takeOver(4)).tracks.dirtyHours).to.equal(0)
  })

  it('Outdated documents are recomputed if the process ended after writing the newest hour', async () => {
    const ended = await takeOver(3)
    const late = [parts(3 * hourMs + second, 903)]
    await ended.consume([messageOf(late)], 2)
    expect(written.map(({ slotMs }) => slotMs)).to.deep.equal([startMs + 3 * hourMs])
    expect(ended.tracks.dirtyHours).to.be.greaterThan(0)

    await workToTheEnd(await takeOver(4))
    expect(await stored()).to.deep.equal(compute(inputsFor(counting), [...samples, ...late], { hours }))
    expect((await takeOver(5)).tracks.dirtyHours).to.equal(0)
  })
})
