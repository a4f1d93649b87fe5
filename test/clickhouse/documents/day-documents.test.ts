import { expect } from 'chai'
import { readDayCoverage } from '../../../clickhouse/documents/day-coverage.ts'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import type { CoverageRow, ShopDay, VersionedDocument } from '../../../schema/document-store.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { addedUp, storedDays, storedHours } from '../../support/day-documents.ts'
import { aDocument } from './a-document.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

/** Shop days of 24, 23.5 and 25 hours that begin at a half hour; none is adjacent to the first one. */
const firstMs = Date.UTC(2026, 0, 30, 18, 30)
const days: readonly ShopDay[] = [
  { startMs: firstMs, endMs: firstMs + 24 * hourMs, shopDate: '2026-01-31' },
  { startMs: firstMs + 24 * hourMs, endMs: firstMs + 47.5 * hourMs, shopDate: '2026-02-01' },
  { startMs: firstMs + 47.5 * hourMs, endMs: firstMs + 72.5 * hourMs, shopDate: '2026-02-02' },
]
let companyRef = asCompanyRef(1)

for (const kind of storeKinds) {
  describe(`day documents on ${kind}`, () => {
    const store = useFreshDatabase(kind)
    const documents = () => createDocumentStore(store())
    beforeEach(() => {
      companyRef = asCompanyRef(companyRef + 2)
    })

    it('A day document is the sum of the hours of its day, also if the day boundary cuts an hour', async () => {
      const slots = Array.from({ length: 75 }, (_, i) => firstMs - 30 * minuteMs + i * hourMs)
      await documents().writeDocuments(
        [11, 12].flatMap(machineRef =>
          slots.map(slotMs => cutAtHalf(aDocument({ companyRef, machineRef: asMachineRef(machineRef), slotMs }))),
        ),
      )
      await documents().writeDocuments([
        aDocument({
          companyRef: asCompanyRef(companyRef + 1),
          machineRef: asMachineRef(11),
          slotMs: firstMs + 5 * hourMs,
        }),
      ])
      await documents().buildDays(companyRef, [asMachineRef(11), asMachineRef(12), asMachineRef(13)], days, 7n)
      const hours = await storedHours(store(), companyRef)
      for (const day of days) {
        const stored = await storedDays(store(), companyRef, day)
        const expected = addedUp(hours, day)
        expect([...stored.keys()]).to.have.members([11, 12, 13])
        for (const machineRef of [11, 12]) expect(stored.get(machineRef)).to.deep.equal(expected.get(machineRef))
        expect(stored.get(13)).to.deep.equal({ facts: [], reasons: [], others: [], setups: [] })
      }
      expect(
        await storedDays(store(), asCompanyRef(companyRef + 1), days[0] ?? { startMs: 0, endMs: 0 }),
      ).to.deep.equal(new Map())
    })

    it("Days of machines with different owners are built in one statement, each under its owner's version", async () => {
      const [day] = days
      if (!day) return
      const machines = [11, 12, 13].map(asMachineRef)
      await documents().writeDocuments(
        machines.map(machineRef => aDocument({ companyRef, machineRef, slotMs: firstMs + 5 * hourMs })),
      )
      const partitions = documents()
      const [own, others] = [machines.slice(0, 1), machines.slice(1)]
      await Promise.all([
        partitions.buildDays(companyRef, own, [day], 5n << 40n),
        partitions.buildDays(companyRef, others, [day], 7n << 40n),
      ])
      const expected = addedUp(await storedHours(store(), companyRef), day)
      const stored = await storedDays(store(), companyRef, day)
      for (const machineRef of machines) expect(stored.get(machineRef)).to.deep.equal(expected.get(machineRef))
      const versions = await store().query<{ readonly fences: readonly number[] }>(
        sql`SELECT groupArray(toUInt32(bitShiftRight(version, 40))) AS fences FROM (
          SELECT version FROM days WHERE company = ${uint32(companyRef)} ORDER BY machine)`,
      )
      expect(versions).to.deep.equal([{ fences: [5, 7, 7] }])
    })

    it('A downtime record counts once in a day, in the hour in which it begins', async () => {
      const [day] = days
      if (!day) return
      const slotMs = firstMs + 30 * minuteMs
      const whole = aDocument({
        companyRef,
        machineRef: asMachineRef(11),
        slotMs,
      }).downtimes.slice(0, 1)
      const element = (start: number, end: number) =>
        whole.map(one => Object.assign({}, one, { cell: 0, start, end, recordStartMs: slotMs + 50 * minuteMs }))
      await documents().writeDocuments([
        aDocument({
          companyRef,
          machineRef: asMachineRef(11),
          slotMs,
          downtimes: element(50 * minuteMs, hourMs),
        }),
        aDocument({
          companyRef,
          machineRef: asMachineRef(11),
          slotMs: slotMs + hourMs,
          downtimes: element(0, hourMs),
        }),
        aDocument({
          companyRef,
          machineRef: asMachineRef(11),
          slotMs: slotMs + 2 * hourMs,
          downtimes: [...element(0, 1), ...element(2, 3)],
        }),
      ])
      await documents().buildDays(companyRef, [asMachineRef(11)], [day], 1n)
      const stored = (await storedDays(store(), companyRef, day)).get(11)
      expect(stored?.reasons.map(text => /records (\d+)/.exec(text)?.[1])).to.deep.equal(['1'])
      expect(stored?.reasons.map(text => /ms (\d+)/.exec(text)?.[1])).to.deep.equal([String(70 * minuteMs + 2)])
    })

    it('The day document with the highest version is read', async () => {
      const [day] = days
      if (!day) return
      await documents().writeDocuments([
        aDocument({ companyRef, machineRef: asMachineRef(11), slotMs: firstMs + 5 * hourMs }),
      ])
      await documents().buildDays(companyRef, [asMachineRef(11)], [day], 2n << 40n)
      const made = await storedDays(store(), companyRef, day)
      await documents().writeDocuments([
        aDocument({ companyRef, slotMs: firstMs + 5 * hourMs, version: 2n, facts: [] }),
      ])
      await documents().buildDays(companyRef, [asMachineRef(11)], [day], 1n << 40n)
      expect(await storedDays(store(), companyRef, day)).to.deep.equal(made)
      await documents().buildDays(companyRef, [asMachineRef(11)], [day], 3n << 40n)
      expect((await storedDays(store(), companyRef, day)).get(11)?.facts).to.deep.equal([])
    })

    describe('coverage of day documents', () => {
      const [first, second, third] = days
      const coverage = (given: Partial<CoverageRow>): CoverageRow => ({
        companyRef,
        startMs: 0,
        endMs: 0,
        partition: 0,
        partitions: 2,
        covered: true,
        firstMs: firstMs + 30 * minuteMs,
        epoch: 1n << 40n,
        version: 1n << 40n,
        ...given,
      })
      const read = async () => {
        const { covered, stale } = await readDayCoverage(store(), companyRef, days)
        return { covered: covered.map(({ startMs }) => days.findIndex(day => day.startMs === startMs)), stale }
      }

      it('A day is covered if every partition covers it or has no hours in it', async () => {
        await documents().writeCoverage([coverage({}), coverage({ ...first }), coverage({ ...second })])
        expect(await read()).to.deep.equal({ covered: [], stale: [] })
        await documents().writeCoverage([coverage({ partition: 1, firstMs: second?.endMs ?? 0 })])
        expect((await read()).covered).to.deep.equal([0, 1])
        await documents().writeCoverage([coverage({ partition: 1, firstMs: first?.endMs ?? 0, version: 2n << 40n })])
        expect((await read()).covered).to.deep.equal([0])
        await documents().writeCoverage([coverage({ ...first, covered: false, version: 2n << 40n })])
        expect((await read()).covered).to.deep.equal([])
      })

      it('Coverage of an earlier epoch or of another partition count does not apply', async () => {
        await documents().writeCoverage([
          coverage({ ...first }),
          coverage({}),
          coverage({ partition: 1, firstMs: Infinity }),
        ])
        expect((await read()).covered).to.deep.equal([0])
        await documents().writeCoverage([coverage({ partition: 2, partitions: 3, version: 3n << 40n })])
        expect((await read()).covered).to.deep.equal([])
        await documents().writeCoverage([coverage({ partition: 1, firstMs: Infinity, version: 4n << 40n })])
        expect((await read()).covered).to.deep.equal([0])
        await documents().writeCoverage([coverage({ epoch: 5n << 40n, version: 5n << 40n })])
        expect((await read()).covered).to.deep.equal([])
        const partitions = documents()
        const stored = [0, 1].map(partition => partitions.readCoverage(partition, [companyRef]))
        const ownership = { companyRef, startMs: 0, endMs: 0, partitions: 2 }
        const bounds = { startMs: first?.startMs, endMs: first?.endMs }
        expect(await Promise.all(stored)).to.deep.equal([
          [{ ...ownership, epoch: 5n << 40n }],
          [{ ...ownership, epoch: 1n << 40n }],
        ])
        await documents().writeCoverage([coverage({ ...first, partition: 1, version: 6n << 40n })])
        expect(await documents().readCoverage(1, [companyRef])).to.deep.equal([
          { ...ownership, epoch: 1n << 40n },
          { ...ownership, ...bounds, epoch: 1n << 40n },
        ])
      })

      it('Coverage applies only to a day with exactly its bounds', async () => {
        await documents().writeCoverage([
          coverage({ partitions: 1 }),
          coverage({ ...first, partitions: 1, startMs: firstMs + 1 }),
          coverage({ ...second, partitions: 1, endMs: (second?.endMs ?? 0) + 1 }),
          coverage({ ...third, partitions: 1 }),
        ])
        expect((await read()).covered).to.deep.equal([2])
      })

      it('A machine with a stale mark is reported as stale on a covered day', async () => {
        await documents().writeCoverage([coverage({ partitions: 1 }), coverage({ ...second, partitions: 1 })])
        const mark = {
          companyRef,
          machineRef: asMachineRef(11),
          startMs: second?.startMs ?? 0,
          endMs: second?.endMs ?? 0,
        }
        const others = [
          { ...mark, companyRef: asCompanyRef(companyRef + 1) },
          { ...mark, startMs: first?.startMs ?? 0, endMs: first?.endMs ?? 0 },
          { ...mark, endMs: mark.endMs + 1 },
        ]
        const rows = [mark, ...others].map(row => Object.assign({ stale: true, version: 2n }, row))
        await documents().writeStaleDays(rows)
        expect(await read()).to.deep.equal({ covered: [1], stale: [{ machineRef: 11, startMs: mark.startMs }] })
        expect(await documents().readStaleDays([companyRef])).to.have.deep.members([mark, ...others.slice(1)])
        await documents().writeStaleDays([{ ...mark, stale: false, version: 1n }])
        expect((await read()).stale).to.have.length(1)
        await documents().writeStaleDays([{ ...mark, stale: false, version: 3n }])
        expect((await read()).stale).to.deep.equal([])
      })
    })
  })
}

/** Moves the second fact, and its cell, to the second half of the hour. */
function cutAtHalf(document: VersionedDocument): VersionedDocument {
  const facts = document.facts.map(fact => Object.assign({}, fact, { first: fact.cell, last: fact.cell + 1_800_000 }))
  return { ...document, facts }
}
