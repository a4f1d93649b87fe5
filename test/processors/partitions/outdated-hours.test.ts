import { expect } from 'chai'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { migrate, readMigrations } from '../../../clickhouse/migrations/migrate.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import type { HourDocument } from '../../../schema/document.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import type { Sample } from '../../../schema/sample.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { emptyDatabase, type TestDatabase } from '../../support/database.ts'
import { readDocument } from '../../support/read-document.ts'
import { compute, execution, inputsOf, parts, second, startMs } from '../timeline/support.ts'

const company = asCompanyRef(1)
const machineRef = asMachineRef(1)
const hours = 4
const inputs = inputsOf({}, { commissioned: { fromMs: null, createdMs: startMs, toMs: null } })
const machine: MachineRecord = {
  ...defaultMachineSettings,
  id: 'b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c11',
  ref: machineRef,
  companyId: 'c',
  name: 'Lathe',
  createdAt: new Date(startMs).toISOString(),
}

const numbered = (sequence: number) => ({ instanceId: 1, sequence })
/** Samples: two keys share number 1 in one hour and number 3 across two hours; number 4 has a late copy. */
const samples = [
  { ...execution(second, 'ACTIVE', 'path'), ...numbered(1) },
  parts(second, 5, numbered(1)),
  parts(2 * second, 7, numbered(2)),
  { ...execution(hourMs + second, 'READY', 'path'), ...numbered(3) },
  parts(2 * hourMs + second, 9, numbered(3)),
  parts(2 * hourMs + 2 * second, 10, numbered(4)),
  parts(3 * hourMs + second, 10, numbered(4)),
]
const latest = samples[6]
const counted = samples.filter(sample => sample !== latest)
/** Samples that the earlier version counted: for each number, those of one key only. */
const countedBefore = counted.filter(
  ({ key, sequence }) => sequence === 2 || sequence === 4 || (key === 'path') === (sequence === 3),
)

describe('documents of a version that identified samples by number only', function () {
  let database: TestDatabase

  beforeEach(async () => {
    database = await emptyDatabase()
  })
  afterEach(() => database.drop())

  it('Documents that merged keys with equal numbers are recomputed once, and late copies of one key stay excluded', async () => {
    const { store } = database
    const all = await readMigrations()
    await migrate(
      store,
      all.filter(({ number }) => number < 36),
    )
    const documents = createDocumentStore(store)
    await documents.writeSamples(company, samples)
    await documents.writeSeen(company, samples.map(seenOf))
    const superseded = samples
      .filter(sample => !countedBefore.includes(sample))
      .map(({ atUs, sequence }) => `(1, 1, 1, ${sequence}, ${atUs})`)
    await store.command({ parts: [`INSERT INTO superseded_samples VALUES ${superseded.join(', ')}`] })
    const previous = compute(inputs, countedBefore, { hours, seen: samples.map(seenOf) })
    await documents.writeDocuments(
      previous.map((document, hour) => Object.assign(document, { version: (1n << 40n) + BigInt(hour) })),
    )

    await migrate(store)
    const outdated = await documents.readOutdatedHours(company, [machineRef])
    expect(outdated).to.deep.equal([{ machineRef, fromMs: startMs, toMs: startMs + 3 * hourMs }])
    const written: number[] = []
    await workThrough(await takeOver(written))
    expect(await stored()).to.deep.equal(compute(inputs, counted, { hours, seen: samples.map(seenOf) }))
    expect(written).to.include.members([0, 1, 2])
    expect(await documents.readOutdatedHours(company, [machineRef])).to.deep.equal([])
    written.length = 0
    await workThrough(await takeOver(written))
    expect(written).to.deep.equal([])
  })

  let fence = 1
  async function takeOver(written: number[]): Promise<Partition> {
    const partition = new Partition({
      partition: 0,
      partitions: 1,
      fence: ++fence,
      store: createDocumentStore(database.store),
      clock: () => startMs + hours * hourMs - 1,
      inputsOf: () => inputs,
      calendarOf: () => undefined,
      onCurrent: () => undefined,
      onWritten: documents => written.push(...documents.map(({ slotMs }) => (slotMs - startMs) / hourMs)),
    })
    await partition.takeOver([machine], () => company, [company])
    return partition
  }

  async function stored(): Promise<readonly HourDocument[]> {
    const slots = Array.from({ length: hours }, (_, hour) => startMs + hour * hourMs)
    const documents = await Promise.all(slots.map(slotMs => readDocument(database.store, company, machineRef, slotMs)))
    return documents.flatMap(document => {
      if (document === null) return []
      const { version: _, ...rest } = document
      return [rest]
    })
  }
})

async function workThrough(partition: Partition): Promise<void> {
  while (await partition.work());
}

function seenOf({ atUs }: Sample) {
  return { machineRef, firstMs: atUs / 1000, lastMs: atUs / 1000 }
}
