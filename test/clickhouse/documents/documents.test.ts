import { expect } from 'chai'
import * as fc from 'fast-check'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { readSegments } from '../../../clickhouse/documents/read-segments.ts'
import { readDocument } from '../../support/read-document.ts'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { VersionedDocument } from '../../../schema/document-store.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { Sample } from '../../../schema/sample.ts'
import { aSample } from '../a-sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { aDocument } from './a-document.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'

const slotMs = Date.UTC(2026, 0, 31, 22)
let companyRef = asCompanyRef(1)

for (const kind of storeKinds) {
  describe(`documents on ${kind}`, () => {
    const store = useFreshDatabase(kind)
    const documents = () => createDocumentStore(store())
    // The tests share a database; each uses companies of its own.
    beforeEach(() => {
      companyRef = asCompanyRef(companyRef + 2)
    })

    it('A document is read back unchanged, and only by its own company', async () => {
      const written = aDocument({ companyRef, slotMs, version: (5n << 40n) | 1n })
      await documents().writeDocuments([written])
      expect(await readDocument(store(), companyRef, asMachineRef(11), slotMs)).to.deep.equal(written)
      expect(await readDocument(store(), asCompanyRef(companyRef + 1), asMachineRef(11), slotMs)).to.equal(null)
    })

    it('1,200 documents of one insert are read back unchanged, also if an array is empty in all of them', async () => {
      const empty = { alarms: [], setups: [], adjustments: [], parts: [] }
      const hours = Array.from({ length: 1_200 }, (_, i) =>
        aDocument({ companyRef, slotMs: slotMs - i * hourMs, ...empty, ...(i % 3 === 0 && { downtimes: [] }) }),
      )
      await documents().writeDocuments(hours)
      for (const written of [hours[0], hours[1], hours[1_199]])
        expect(await readDocument(store(), companyRef, asMachineRef(11), written?.slotMs ?? 0)).to.deep.equal(written)
    })

    it('Years of hours with equal content are read back unchanged, with different hours between them', async () => {
      const nothing = { facts: [], downtimes: [], setups: [], adjustments: [], parts: [] }
      const alarms = aDocument({ slotMs: Date.UTC(2020, 0, 1) }).alarms
      const hours = Array.from({ length: 4_000 }, (_, i) => {
        const machineRef = asMachineRef(11 + Math.floor(i / 3_000))
        const own = i % 700 === 5 ? {} : { ...nothing, alarms: i % 24 < 8 ? [] : alarms }
        return aDocument({ companyRef, machineRef, slotMs: slotMs - i * hourMs, version: BigInt(i) << 40n, ...own })
      })
      await documents().writeDocuments(hours)
      for (const i of [0, 4, 5, 6, 7, 8, 23, 24, 705, 706, 2_999, 3_000, 3_999]) {
        const written = hours[i]
        const { machineRef = asMachineRef(0), slotMs: at = 0 } = written ?? {}
        expect(await readDocument(store(), companyRef, machineRef, at), `hour ${i}`).to.deep.equal(written)
      }
      const [{ rows } = { rows: 0 }] = await store().query<{ rows: number }>(
        sql`SELECT toUInt32(count()) AS rows FROM hours WHERE company = ${uint32(companyRef)}`,
      )
      expect(rows).to.equal(4_000)
    })

    it('The document of the highest version is read, in any order of writes', async () => {
      const [older, newer] = [(2n << 40n) + 1n, (2n << 40n) + 2n]
      await documents().writeDocuments([aDocument({ companyRef, slotMs, version: newer, stateOut: 'new' })])
      await documents().writeDocuments([aDocument({ companyRef, slotMs, version: older, stateOut: 'old', facts: [] })])
      const found = await readDocument(store(), companyRef, asMachineRef(11), slotMs)
      expect(found?.version).to.equal(newer)
      expect(found?.facts).to.have.length(2)
      expect(await documents().readStates(companyRef, [asMachineRef(11), asMachineRef(12)], slotMs)).to.deep.equal(
        new Map([[11, 'new']]),
      )
    })

    it('Hours of 25 months are written in one insert, and the first and last hour of a machine are found', async () => {
      const first = Date.UTC(2006, 0, 1)
      const hours = Array.from({ length: 25 }, (_, i) => aDocument({ companyRef, slotMs: Date.UTC(2006, i, 1) }))
      await documents().writeDocuments(hours.toReversed())
      expect(await documents().readExtents(companyRef, [asMachineRef(11), asMachineRef(12)])).to.deep.equal([
        { machineRef: 11, firstSlotMs: first, lastSlotMs: Date.UTC(2008, 0, 1) },
      ])
    })

    it('Hours before 2025 are partitioned by year, and a corrected hour there replaces the stored one', async () => {
      const border = Date.UTC(2025, 0, 1)
      const hours = Array.from({ length: 36 }, (_, i) => aDocument({ companyRef, slotMs: Date.UTC(2022, i, 1) }))
      const last = aDocument({ companyRef, slotMs: border - hourMs })
      const first = aDocument({ companyRef, slotMs: border })
      await documents().writeDocuments([...hours, last, first])
      const ofCompany = sql`company = ${uint32(companyRef)}`
      const [{ parts } = { parts: [] }] = await store().query<{ parts: string[] }>(
        sql`SELECT arraySort(groupUniqArray(_partition_id)) AS parts FROM hours WHERE ${ofCompany}`,
      )
      expect(parts).to.deep.equal(['202200', '202300', '202400', '202501'])
      for (const { slotMs: at } of [hours[3] ?? last, last, first]) {
        const corrected = aDocument({ companyRef, slotMs: at, version: 9n << 40n, alarms: [] })
        await documents().writeDocuments([corrected])
        expect(await readDocument(store(), companyRef, asMachineRef(11), at)).to.deep.equal(corrected)
      }
      const counted = await store().query(sql`SELECT toUInt32(count()) AS rows FROM hours FINAL WHERE ${ofCompany}`)
      expect(counted).to.deep.equal([{ rows: 38 }])
    })

    it('The views show the elements of the newest version of each document', async () => {
      const document = aDocument({ companyRef })
      await documents().writeDocuments([document, { ...document, version: document.version + 1n }])
      const own = sql`WHERE company = ${uint32(companyRef)}`
      const [found] = await store().query(sql`
        SELECT (SELECT toUInt32(sum(length(segment_start))) FROM cycle_states ${own}) AS segments,
          (SELECT toUInt32(sum(length(downtime_start))) FROM downtime_states ${own}) AS downtimes,
          (SELECT toUInt32(sum(length(alarm_code))) FROM alarm_states ${own}) AS alarms,
          (SELECT toUInt32(sum(length(part_at))) FROM part_states ${own}) AS parts,
          (SELECT toUInt32(sum(length(adjustment_at))) FROM adjustment_states ${own}) AS adjustments`)
      expect(found).to.deep.equal({
        segments: document.segments.length,
        downtimes: document.downtimes.length,
        alarms: document.alarms.length,
        parts: document.parts.length,
        adjustments: document.adjustments.length,
      })
    })

    it('The states that link an hour to its neighbours are read by machine and hour', async () => {
      const written = chain(asMachineRef(12), 4).concat(chain(asMachineRef(11), 4))
      await documents().writeDocuments(written)
      expect(
        await documents().readLinks(
          companyRef,
          [asMachineRef(11), asMachineRef(12)],
          slotMs + hourMs,
          slotMs + 3 * hourMs,
        ),
      ).to.deep.equal(
        [11, 12].flatMap(machineRef =>
          [1, 2].map(i => ({
            machineRef,
            slotMs: slotMs + i * hourMs,
            hashIn: `${i}`,
            stateOut: i === 1 ? written.find(each => each.slotMs === slotMs + hourMs)?.stateOut : '',
          })),
        ),
      )
    })

    it('Segments are read for every hour that overlaps the requested time', async () => {
      await documents().writeDocuments(chain(asMachineRef(11), 3))
      const found = await readSegments(store(), companyRef, [asMachineRef(11)], slotMs + 1, slotMs + hourMs + 1)
      expect(found.map(hour => hour.slotMs)).to.deep.equal([slotMs, slotMs + hourMs])
      expect(found[0]?.segments).to.deep.equal(aDocument({ companyRef, slotMs }).segments)
    })

    describe('broken links', () => {
      it('Consecutive hours with matching states have no broken links', async () => {
        await documents().writeDocuments([
          ...chain(asMachineRef(11), 30),
          ...chain(asMachineRef(12), 1),
          ...chain(asMachineRef(13), 2),
        ])
        expect(
          await documents().readBrokenLinks(companyRef, [
            asMachineRef(11),
            asMachineRef(12),
            asMachineRef(13),
            asMachineRef(14),
          ]),
        ).to.deep.equal([])
      })

      it('An hour whose incoming state differs from the outgoing state before it is a broken link', async () => {
        await documents().writeDocuments([...chain(asMachineRef(11), 6), ...chain(asMachineRef(12), 6)])
        await documents().writeDocuments([{ ...at(chain(asMachineRef(11), 6), 3), hashOut: '99', version: 2n }])
        expect(await documents().readBrokenLinks(companyRef, [asMachineRef(11), asMachineRef(12)])).to.deep.equal([
          { machineRef: 11, fromMs: slotMs + 4 * hourMs, toMs: slotMs + 5 * hourMs },
        ])
        expect(await documents().readBrokenLinks(companyRef, [asMachineRef(12)])).to.deep.equal([])
      })

      it('An hour after missing hours is a broken link, together with them', async () => {
        await documents().writeDocuments(chain(asMachineRef(11), 6).toSpliced(2, 2))
        expect(await documents().readBrokenLinks(companyRef, [asMachineRef(11)])).to.deep.equal([
          { machineRef: 11, fromMs: slotMs + 2 * hourMs, toMs: slotMs + 5 * hourMs },
        ])
      })
    })

    it('Samples are read for the requested machines and time', async () => {
      const from = 1_767_225_600_000
      const samples = [-1, 0, 1, 999_999].map(us => aSample({ atUs: from * 1000 + us }))
      const others = [
        aSample({ machineRef: asMachineRef(12) }),
        aSample({ machineRef: asMachineRef(13), atUs: from * 1000, instanceId: 5, sequence: 2 ** 53 - 1 }),
      ]
      await documents().writeSamples(companyRef, [...samples, ...others])
      await documents().writeSamples(asCompanyRef(companyRef + 1), [
        aSample({ atUs: from * 1000, value: 'of another company' }),
      ])
      const found = await documents().readSamples(companyRef, [asMachineRef(11), asMachineRef(13)], from, from + 1)
      expect(byTime(found)).to.deep.equal(byTime([...samples.slice(1, 3), ...others.slice(1)]))
    })

    it('Equal samples are stored once; samples that differ in any field are stored separately', async () => {
      const copies = [aSample({}), aSample({ message: 'other' }), aSample({ instanceId: 1, sequence: 1 })]
      for (let i = 0; i < 3; i++) await documents().writeSamples(companyRef, copies)
      await store().command(sql`OPTIMIZE TABLE deciding_samples FINAL`)
      expect(await documents().readSamples(companyRef, [asMachineRef(11)], 0, 2_000_000_000_000)).to.have.length(3)
    })

    it('A sample without numbers is not a copy of the sample with instance 0 and sequence 0', async () => {
      const { atUs } = aSample({})
      const zero = aSample({ atUs: atUs + 2, instanceId: 0, sequence: 0 })
      await documents().writeSamples(companyRef, [aSample({}), aSample({ atUs: atUs + 1 }), zero])
      expect(await documents().supersedeCopies(companyRef, [zero])).to.deep.equal([])
      expect(await documents().readSamples(companyRef, [asMachineRef(11)], 0, 2_000_000_000_000)).to.have.length(3)
      const copy = { ...zero, atUs: zero.atUs + 1 }
      await documents().writeSamples(companyRef, [copy])
      const { key, atUs: copyUs } = copy
      const superseded = { machineRef: 11, atUs: copyUs, key, sequence: 0, isNew: true }
      expect(await documents().supersedeCopies(companyRef, [copy])).to.deep.equal([superseded])
      expect(await documents().supersedeCopies(companyRef, [copy])).to.deep.equal([{ ...superseded, isNew: false }])
    })

    it('Later copies of a number and key are superseded, and samples of other keys are not', async () => {
      const numbered = (seconds: number, key: string) =>
        aSample({ atUs: 1_000_000 * seconds, key, instanceId: 3, sequence: 9 })
      const all = [
        numbered(20, 'Path_1'),
        numbered(30, 'PATH1'),
        numbered(40, 'path2'),
        numbered(50, 'path 2'),
        numbered(60, 'Path_1'),
      ]
      const superseded = async (samples: readonly Sample[]) => {
        await documents().writeSamples(companyRef, samples)
        const copies = await documents().supersedeCopies(companyRef, samples)
        return copies.map(({ key, atUs, isNew }) => `${key} ${atUs / 1_000_000}${isNew ? ' new' : ''}`).toSorted()
      }
      const left = async () => {
        const found = await documents().readSamples(companyRef, [asMachineRef(11)], 0, 2_000_000_000_000)
        return found.map(({ key, atUs }) => `${key} ${atUs / 1_000_000}`).toSorted()
      }
      expect(await superseded(all)).to.deep.equal(['PATH1 30 new', 'Path_1 60 new', 'path 2 50 new'])
      expect(await left()).to.deep.equal(['Path_1 20', 'path2 40'])
      expect(await superseded([numbered(60, 'Path_1')])).to.deep.equal(['Path_1 60'])
      expect(await superseded([numbered(70, 'path1')])).to.deep.equal(['path1 70 new'])
      expect(await superseded([numbered(10, 'PATH_1')])).to.deep.equal([
        'PATH1 30',
        'Path_1 20 new',
        'Path_1 60',
        'path1 70',
      ])
      expect(await left()).to.deep.equal(['PATH_1 10', 'path2 40'])
    })

    it('Any text in a sample is stored unchanged', async () => {
      const text = fc.string({ unit: 'binary', maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(text, text, text, fc.integer({ min: 0, max: 1e15 }), async (value, message, key, atUs) => {
          const sample = aSample({ value, message, key, atUs, nativeCode: value })
          await documents().writeSamples(companyRef, [sample])
          const found = await documents().readSamples(
            companyRef,
            [asMachineRef(11)],
            Math.floor(atUs / 1000),
            Math.floor(atUs / 1000) + 1,
          )
          expect(found).to.deep.include(sample)
        }),
        { numRuns: 15 },
      )
    })

    it('Half a surrogate pair is stored as U+FFFD', async () => {
      await documents().writeSamples(companyRef, [aSample({ value: 'a\ud800b' })])
      const [found] = await documents().readSamples(companyRef, [asMachineRef(11)], 0, 2_000_000_000_000)
      expect(found?.value).to.equal('a\ufffdb')
    })

    it('Activity within a minute is merged, and the first activity is found', async () => {
      const minute = Date.UTC(2026, 0, 1, 0, 5)
      await documents().writeSeen(companyRef, [
        { machineRef: asMachineRef(11), firstMs: minute + 20_000, lastMs: minute + 30_000 },
      ])
      await documents().writeSeen(companyRef, [
        { machineRef: asMachineRef(11), firstMs: minute + 25_000, lastMs: minute + 59_999 },
        { machineRef: asMachineRef(11), firstMs: minute + 60_000, lastMs: minute + 60_000 },
        { machineRef: asMachineRef(12), firstMs: minute + 7, lastMs: minute + 8 },
      ])
      expect(await documents().readSeen(companyRef, [asMachineRef(11)], minute, minute + 60_000)).to.deep.equal([
        { machineRef: 11, firstMs: minute + 20_000, lastMs: minute + 59_999 },
      ])
      expect(await documents().readSeen(companyRef, [asMachineRef(11)], minute + 1, minute + 60_001)).to.deep.equal([
        { machineRef: 11, firstMs: minute + 60_000, lastMs: minute + 60_000 },
      ])
      await documents().writeSamples(companyRef, [aSample({ machineRef: asMachineRef(12), atUs: 5_999 })])
      expect(
        await documents().readFirstSeen(companyRef, [asMachineRef(11), asMachineRef(12), asMachineRef(13)]),
      ).to.deep.equal(
        new Map([
          [11, minute + 20_000],
          [12, 5],
        ]),
      )
    })

    it('The records offset of the highest version is read for a partition', async () => {
      expect(await documents().readRecordsOffset(3)).to.equal(null)
      await documents().writeRecordsOffsets([{ partition: 3, recordsOffset: 17, version: 2n << 40n }])
      await documents().writeRecordsOffsets([{ partition: 3, recordsOffset: 9, version: 1n << 40n }])
      expect(await documents().readRecordsOffset(3)).to.equal(17)
      expect(await documents().readRecordsOffset(4)).to.equal(null)
    })

    it('Empty writes and reads of no machines succeed', async () => {
      await documents().writeDocuments([])
      await documents().writeSamples(companyRef, [])
      await documents().writeSeen(companyRef, [])
      expect(await documents().readSamples(companyRef, [], 0, 1)).to.deep.equal([])
      expect(await documents().readBrokenLinks(companyRef, [])).to.deep.equal([])
    })
  })
}

/** Consecutive hours; hour i starts from state i. */
function chain(machineRef: MachineRef, length: number): readonly VersionedDocument[] {
  return Array.from({ length }, (_, i) =>
    aDocument({
      companyRef,
      machineRef,
      slotMs: slotMs + i * hourMs,
      hashIn: `${i}`,
      hashOut: `${i + 1}`,
    }),
  )
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`Item ${index} is missing`)
  return item
}

function byTime(samples: readonly Sample[]): readonly Sample[] {
  return samples.toSorted((a, b) => a.atUs - b.atUs || a.machineRef - b.machineRef)
}
