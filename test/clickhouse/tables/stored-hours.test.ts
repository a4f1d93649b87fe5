import { expect } from 'chai'
import * as fc from 'fast-check'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { readSegments } from '../../../clickhouse/documents/read-segments.ts'
import {
  fromEventfulHours,
  fromStoredHours,
  keysOfHours,
  repeatedUntilMs,
} from '../../../clickhouse/tables/stored-hours.ts'
import { rawSql, second, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { VersionedDocument } from '../../../schema/document-store.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { readDocument } from '../../support/read-document.ts'
import { aDocument } from '../documents/a-document.ts'

const machines = [asMachineRef(11), asMachineRef(12)] as const
/** Hours on both sides of the limit after which no repeated hours are stored. */
const firstMs = repeatedUntilMs - 3_000 * hourMs
const hourCount = 4_000
let companyRef = asCompanyRef(1)

type Lists = 'segments' | 'downtimes' | 'alarms' | 'parts' | 'adjustments'

/** Arrays of a document, the view that shows each, and a column of it. */
const subjects: readonly (readonly [list: Lists, view: string, column: string])[] = [
  ['segments', 'cycle_states', 'segment_start'],
  ['downtimes', 'downtime_states', 'downtime_start'],
  ['alarms', 'alarm_states', 'alarm_code'],
  ['parts', 'part_states', 'part_at'],
  ['adjustments', 'adjustment_states', 'adjustment_at'],
]

/** Consecutive hours of one machine that are written in one call. Writers of a higher rank owned the machine later. */
interface Write {
  readonly machineRef: MachineRef
  readonly rank: number
  readonly hour: number
  readonly count: number
  /** Contents of consecutive hours, as shifts repeat them; null: each of these hours differs. */
  readonly contents: readonly number[] | null
}

for (const kind of storeKinds) {
  describe(`stored hours on ${kind}`, () => {
    const store = useFreshDatabase(kind)
    const documents = () => createDocumentStore(store())
    beforeEach(() => {
      companyRef = asCompanyRef(companyRef + 1)
    })

    it('Each hour is read once if a condition on the hours is an alternative', async () => {
      const [machineRef] = machines
      await documents().writeDocuments(documentsOf({ machineRef, rank: 1, hour: 0, count: 2_900, contents: [1] }))
      await documents().writeDocuments(documentsOf({ machineRef, rank: 2, hour: 10, count: 5, contents: null }))
      const instants = [20, 50, 100].map(hour => firstMs + hour * hourMs)
      const [beforeMs = 0, fromMs = 0, toMs = 0] = instants
      const where = [sql`slot < ${second(beforeMs)} OR slot >= ${second(fromMs)}`]
      const from = fromStoredHours(
        companyRef,
        { fromMs: firstMs, toMs, machines: null, where },
        { columns: ['hash_in'] },
      )
      expect(await store().columns(sql`SELECT toUInt32(count()), toUInt32(uniqExact(slot)) ${from}`)).to.deep.equal([
        [70],
        [70],
      ])
    })

    it('The hours of pairs of machine and hour are read, and no other hours of these machines', async () => {
      const [first, other] = machines
      for (const machineRef of machines)
        await documents().writeDocuments(
          documentsOf({ machineRef, rank: 1, hour: 2_950, count: 100, contents: [1, 2] }),
        )
      const requested = [
        ...[2_951, 2_960, 3_001].map(hour => ({ machineRef: first, slotMs: firstMs + hour * hourMs })),
        ...[2_952, 2_960, 3_040].map(hour => ({ machineRef: other, slotMs: firstMs + hour * hourMs })),
      ]
      const from = fromStoredHours(companyRef, keysOfHours(requested), { columns: ['hash_in'] })
      const [refs, slots] = await store().columns(
        sql`SELECT machine, toUInt32(toUnixTimestamp(slot)) ${from} ORDER BY machine, slot`,
      )
      expect([refs, slots]).to.deep.equal([
        requested.map(({ machineRef }) => machineRef),
        requested.map(({ slotMs }) => slotMs / 1000),
      ])
    })

    it('Years of equal hours are stored in few rows and are read as documents', async () => {
      const written = machines.flatMap(machineRef =>
        documentsOf({ machineRef, rank: 1, hour: 0, count: 2_900, contents: [1, 1, 1, 2, 3, 3] }),
      )
      await documents().writeDocuments(written)
      expect(await counts()).to.deep.equal({ documents: 0, rows: 6 })
      for (const hour of [0, 1, 3, 5, 2_899, 2_900, 5_799]) {
        const document = written[hour] ?? null
        const { machineRef = machines[0], slotMs = 0 } = document ?? {}
        const found = await readDocument(store(), companyRef, machineRef, slotMs)
        expect({ ...found, version: 0n }, `hour ${hour}`).to.deep.equal({ ...document, version: 0n })
      }
    })

    it('Hours with alarms, runs, setups, parts or adjustments, and hours since 2025, are stored as documents', async () => {
      const { alarms, setups, parts, adjustments, facts, segments } = aDocument({ companyRef })
      const quiet = documentsOf({ machineRef: machines[0], rank: 1, hour: 0, count: hourCount, contents: [1] })
      const made: readonly Partial<VersionedDocument>[] = [
        { alarms },
        { setups },
        { parts },
        { adjustments },
        { facts },
        { segments },
      ]
      const written = quiet.map((document, hour) => Object.assign(document, hour % 100 === 0 && made[(hour / 100) % 6]))
      await documents().writeDocuments(written)
      expect(await counts()).to.deep.equal({ documents: 30 + 1_000, rows: 1 })
    })

    it('The newest version of an hour is read, in any order of writes of documents and repeated hours', async () => {
      await forAll(
        fc.asyncProperty(aHistory, fc.nat(hourCount), fc.nat(hourCount), async (writes, a, b) => {
          companyRef = asCompanyRef(companyRef + 1)
          const newest = new Map<string, VersionedDocument>()
          for (const document of writes.map(documentsOf)) {
            await documents().writeDocuments(document)
            for (const each of document) {
              const key = `${each.machineRef}/${each.slotMs}`
              const known = newest.get(key)
              if (!known || known.version < each.version) newest.set(key, each)
            }
          }
          const all = [...newest.values()].sort((x, y) => x.machineRef - y.machineRef || x.slotMs - y.slotMs)
          const [fromMs, toMs] = [firstMs + Math.min(a, b) * hourMs, firstMs + Math.max(a, b) * hourMs]
          const inRange = all.filter(({ slotMs }) => slotMs >= fromMs && slotMs < toMs)
          expect(await documents().readLinks(companyRef, machines, fromMs, toMs)).to.deep.equal(
            inRange.map(({ machineRef, slotMs, hashIn, stateOut }) => ({
              machineRef,
              slotMs,
              hashIn,
              stateOut: slotMs === fromMs ? stateOut : '',
            })),
          )
          expect(await readSegments(store(), companyRef, machines, fromMs, toMs)).to.deep.equal(
            inRange.map(({ machineRef, slotMs, segments }) => ({ machineRef, slotMs, segments })),
          )
          expect(await documents().readStates(companyRef, machines, fromMs)).to.deep.equal(
            new Map(
              all.flatMap(({ machineRef, slotMs, stateOut }) => (slotMs === fromMs ? [[machineRef, stateOut]] : [])),
            ),
          )
          expect(await documents().readExtents(companyRef, machines)).to.deep.equal(extentsOf(all))
          expect(await documents().readBrokenLinks(companyRef, machines)).to.deep.equal(brokenLinksOf(all))
          await expectReaders(all, inRange, fromMs, toMs)
        }),
        { numRuns: 3 },
      )
    })

    it('Broken links are found inside overlapping repeated hours and next to a document', async () => {
      const [machineRef] = machines
      const long = { machineRef, rank: 1, hour: 0, count: 2_500, contents: [1] }
      await documents().writeDocuments(documentsOf(long))
      await documents().writeDocuments(documentsOf({ ...long, rank: 2, hour: 500, count: 1_200, contents: [2] }))
      await documents().writeDocuments(documentsOf({ ...long, rank: 3, hour: 2_000, count: 1, contents: null }))
      expect(await documents().readBrokenLinks(companyRef, machines)).to.deep.equal(
        [500, 1_700, 2_000, 2_001].map(hour => ({
          machineRef,
          fromMs: firstMs + hour * hourMs,
          toMs: firstMs + (hour + 1) * hourMs,
        })),
      )
    })

    it('The highest fence includes repeated hours', async () => {
      await documents().writeDocuments(
        documentsOf({ machineRef: machines[0], rank: 1_000, hour: 0, count: 1_000, contents: [1] }),
      )
      expect(await documents().readHighestFence()).to.equal(1_000)
    })

    /** Asserts the results of the readers of single arrays and of the views for SQL users. */
    async function expectReaders(
      all: readonly VersionedDocument[],
      inRange: readonly VersionedDocument[],
      fromMs: number,
      toMs: number,
    ): Promise<void> {
      const lengths = (of: readonly VersionedDocument[], list: keyof VersionedDocument & Lists) =>
        of.flatMap(document => {
          const { length } = document[list]
          return length === 0 ? [] : [[document.machineRef, document.slotMs / 1000, length]]
        })
      const columns = (column: string) =>
        rawSql(`SELECT machine, toUnixTimestamp(slot) AS at, toUInt32(length(${column})) AS items`)
      const found = async (query: Sql) => {
        const [machine, at, items] = await store().columns<[number[], number[], number[]]>(query)
        return machine.map((ref, i) => [ref, at[i], items[i]])
      }
      const keys = { fromMs, toMs, machines }
      for (const [list, view, column] of subjects) {
        const where = [rawSql(`notEmpty(${column})`)]
        const eventful = sql`${columns(column)} ${fromEventfulHours(companyRef, keys, { where })} ORDER BY machine, at`
        if (view !== 'cycle_states' && view !== 'downtime_states')
          expect(await found(eventful), `${list} of documents`).to.deep.equal(lengths(inRange, list))
        const shown = sql`${columns(column)} FROM ${rawSql(view)} WHERE company = ${uint32(companyRef)} AND notEmpty(${rawSql(column)}) ORDER BY machine, at`
        expect(await found(shown), view).to.deep.equal(lengths(all, list))
      }
    }

    async function counts(): Promise<unknown> {
      const own = sql`WHERE company = ${uint32(companyRef)}`
      const [found] = await store().query(sql`
        SELECT (SELECT toUInt32(count()) FROM hours ${own}) AS documents, (SELECT toUInt32(count()) FROM repeated_hours ${own}) AS rows`)
      return found
    }
  })
}

const aWrite = fc.record({
  machineRef: fc.constantFrom(...machines),
  hour: fc.nat(hourCount - 1),
  isLong: fc.boolean(),
  length: fc.integer({ min: 1, max: 1_500 }),
  contents: fc.option(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 })),
})

/** Random writes of distinct ranks in any order, because a replaced owner may write once more. */
const aHistory: fc.Arbitrary<readonly Write[]> = fc
  .array(fc.tuple(aWrite, fc.nat()), { minLength: 1, maxLength: 6 })
  .map(drawn => {
    const order = drawn.map(([, place]) => place)
    return drawn.map(([{ isLong, length, hour, ...write }, place], i) => {
      const rank = 1 + order.filter((other, j) => other < place || (other === place && j < i)).length
      const count = Math.min(hourCount - hour, isLong ? 1_000 + length : 1 + (length % 5))
      return { ...write, hour, rank, count }
    })
  })

function documentsOf({ machineRef, rank, hour: first, count, contents }: Write): readonly VersionedDocument[] {
  return Array.from({ length: count }, (_, i) => {
    const content = contents === null ? rank * 10_000 + first + i : (contents[i % contents.length] ?? 0)
    // The hours of one write are linked by their states.
    const hash = String(contents?.[0] ?? rank * 10_000)
    const { facts, downtimes, segments, ...other } = aDocument({
      companyRef,
      machineRef,
      slotMs: firstMs + (first + i) * hourMs,
      version: (BigInt(rank) << 40n) + BigInt(i),
      hashIn: hash,
      hashOut: hash,
      stateOut: `state ${hash}`,
    })
    if (contents === null) return { ...other, facts, downtimes, segments }
    const without = <Item extends { readonly run: number }>(items: readonly Item[]) =>
      items.map(item => ({ ...item, run: 0, shift: content }))
    const record = downtimes.map(element => Object.assign(element, { recordStartMs: firstMs }))
    const nothing = { alarms: [], setups: [], parts: [], adjustments: [] }
    return { ...other, ...nothing, facts: without(facts), downtimes: without(record), segments: without(segments) }
  })
}

function extentsOf(all: readonly VersionedDocument[]) {
  return machines.flatMap(machineRef => {
    const slots = all.filter(each => each.machineRef === machineRef).map(({ slotMs }) => slotMs)
    const [firstSlotMs, lastSlotMs] = [slots[0], slots.at(-1)]
    return firstSlotMs === undefined ? [] : [{ machineRef, firstSlotMs, lastSlotMs }]
  })
}

function brokenLinksOf(all: readonly VersionedDocument[]) {
  return all.flatMap(({ machineRef, slotMs, hashIn }, i) => {
    const before = all[i - 1]
    if (before?.machineRef !== machineRef) return []
    const [fromMs, toMs] = [before.slotMs + hourMs, slotMs + hourMs]
    return fromMs === slotMs && before.hashOut === hashIn ? [] : [{ machineRef, fromMs, toMs }]
  })
}
