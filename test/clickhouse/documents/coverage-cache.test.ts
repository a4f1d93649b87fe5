import { expect } from 'chai'
import * as fc from 'fast-check'
import { readDayCoverage, type DayBounds } from '../../../clickhouse/documents/day-coverage.ts'
import { createDayStore } from '../../../clickhouse/documents/day-store.ts'
import { CoverageCache } from '../../../clickhouse/documents/coverage-cache.ts'
import { openServerStore } from '../../../clickhouse/client/server-store.ts'
import { render, sql } from '../../../clickhouse/sql/sql.ts'
import { type Store, StoreError } from '../../../clickhouse/client/store.ts'
import type { CoverageRow, DayStore, StaleDayRow } from '../../../schema/document-store.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { chdbPath, storeKinds, useFreshDatabase } from '../../support/database.ts'
import { httpFront } from '../../support/http-front.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

const firstMs = Date.UTC(2026, 0, 30, 18, 30)
const days: readonly DayBounds[] = [0, 1, 2].map(day => ({
  startMs: firstMs + day * 24 * hourMs,
  endMs: firstMs + (day + 1) * 24 * hourMs,
}))
const ownership: DayBounds = { startMs: 0, endMs: 0 }
let companyRef = asCompanyRef(1)

for (const kind of storeKinds) {
  describe(`cached coverage on ${kind}`, () => {
    const store = useFreshDatabase(kind)
    /** Whether another process can write to the same database; the embedded engine has only one process. */
    const hasOthers = kind !== 'embedded'
    let other: Store
    let writer: DayStore
    before(async () => {
      other = hasOthers
        ? await openServerStore({ ...(await httpFront(chdbPath())), database: store().database })
        : store()
      writer = createDayStore(other)
    })
    after(async () => hasOthers && other.close())

    /** The query that detects writes of other processes to the server. */
    const writeCheck = hasOthers ? ['system.parts'] : []

    let known: CoverageCache
    beforeEach(() => {
      companyRef = asCompanyRef(companyRef + 2)
      known = new CoverageCache()
    })

    const coverage = (given: Partial<CoverageRow>): CoverageRow => ({
      ...ownership,
      companyRef,
      partition: 0,
      partitions: 1,
      covered: true,
      firstMs: 0,
      epoch: 1n,
      version: 1n,
      ...given,
    })
    const mark = (given: Partial<StaleDayRow>): StaleDayRow => ({
      companyRef,
      machineRef: asMachineRef(11),
      startMs: days[1]?.startMs ?? 0,
      endMs: days[1]?.endMs ?? 0,
      stale: true,
      version: 1n,
      ...given,
    })
    const coverAll = () => writer.writeCoverage([ownership, ...days].map(bounds => coverage(bounds)))
    const read = async (asked = days, of: Store = store()) => known.read(of, companyRef, asked)
    const scratch = async (asked = days) => readDayCoverage(store(), companyRef, asked)

    describe(`after a write by ${hasOthers ? 'another process' : 'this process'}`, () => {
      const changes: Readonly<
        Record<string, { readonly before?: () => Promise<void>; readonly write: () => Promise<void> }>
      > = {
        'a machine is marked stale': { write: () => writer.writeStaleDays([mark({})]) },
        'a stale mark is removed': {
          before: () => writer.writeStaleDays([mark({})]),
          write: () => writer.writeStaleDays([mark({ stale: false, version: 2n })]),
        },
        'a day loses its coverage': {
          write: () => writer.writeCoverage([coverage({ ...days[0], covered: false, version: 2n })]),
        },
        'a day is covered': {
          before: () => writer.writeCoverage([coverage({ ...days[0], covered: false, version: 2n })]),
          write: () => writer.writeCoverage([coverage({ ...days[0], version: 3n })]),
        },
        'an epoch begins': { write: () => writer.writeCoverage([coverage({ epoch: 2n, version: 2n })]) },
        'an epoch is extended to earlier hours': {
          before: () => writer.writeCoverage([coverage({ firstMs: days[2]?.endMs ?? 0, epoch: 2n, version: 2n })]),
          write: () => writer.writeCoverage([coverage({ firstMs: 0, epoch: 2n, version: 3n })]),
        },
        'the partition count changes': {
          write: () => writer.writeCoverage([coverage({ partitions: 2, version: 2n })]),
        },
      }
      for (const [name, { before: prepare, write }] of Object.entries(changes)) {
        it(`Cached coverage is refreshed when ${name}`, async () => {
          await coverAll()
          await prepare?.()
          const old = await read()
          expect(await read()).to.deep.equal(old)
          await write()
          const seen = await read()
          expect(seen).to.not.deep.equal(old)
          expect(seen).to.deep.equal(await scratch())
        })
      }

      it('Cached coverage stays valid when equal rows are written with new versions, and is refreshed by a later change', async () => {
        await coverAll()
        expect((await read()).covered).to.deep.equal(days)
        await writer.writeCoverage([ownership, ...days].map(bounds => coverage({ ...bounds, epoch: 2n, version: 2n })))
        expect((await read()).covered).to.deep.equal(days)
        await writer.writeCoverage([coverage({ ...days[2], covered: false, epoch: 2n, version: 3n })])
        expect((await read()).covered).to.deep.equal(days.slice(0, 2))
      })

      it('Cached coverage is refreshed when its tables are recreated with other rows in parts of equal names', async () => {
        const again = async (table: 'day_coverage' | 'stale_days') => {
          const [row] = await other.query<{ ddl: string }>({
            parts: [
              `SELECT create_table_query AS ddl FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`,
            ],
          })
          await other.command({ parts: [`DROP TABLE ${table} SYNC`] })
          await other.command({ parts: [row?.ddl ?? ''] })
        }
        await again('day_coverage')
        await coverAll()
        expect((await read()).covered).to.deep.equal(days)
        await again('day_coverage')
        await writer.writeCoverage([ownership, days[1] ?? ownership].map(bounds => coverage(bounds)))
        expect((await read()).covered).to.deep.equal(days.slice(1, 2))
      })
    })

    describe('queries for coverage', () => {
      const merging = async (word: 'STOP' | 'START') => {
        for (const table of ['stale_days', 'day_coverage'])
          await other.command({ parts: [`SYSTEM ${word} MERGES ${store().database}.${table}`] })
      }
      after(() => merging('START'))

      /** Wraps the store: records the queries, and calls `then` after the query of the given number. */
      const watched = (then: (queries: number) => Promise<void> = async () => {}) => {
        const asked: string[] = []
        const of: Store = {
          ...store(),
          queryColumns: async (...args) => {
            const answer = await store().queryColumns(...args)
            asked.push(/FROM (\S+)/.exec(render(args[0]).query)?.[1] ?? '')
            await then(asked.length)
            return answer
          },
        }
        return { asked, of }
      }

      it(`Cached coverage is served with ${hasOthers ? 'one query for new parts' : 'no query'} while nothing is written`, async () => {
        await coverAll()
        await merging('STOP')
        const { asked, of } = watched()
        const first = await read(days, of)
        expect(asked).to.deep.equal([...writeCheck, 'stale_days', 'day_coverage'])
        expect(await read(days, of)).to.equal(first)
        expect(asked.slice(writeCheck.length + 2)).to.deep.equal(writeCheck)
        expect(await read([], of)).to.deep.equal({ covered: [], stale: [] })
        expect(asked).to.have.length(2 * writeCheck.length + 2)
      })

      it('Cached coverage is used only for exactly the requested days', async () => {
        await coverAll()
        const [one = ownership, two = ownership, three = ownership] = days
        const cut = { startMs: two.startMs, endMs: two.endMs - hourMs }
        for (const asked of [days, [one, cut, three], [one, three], [two], days]) {
          expect(await read(asked)).to.deep.equal(await scratch(asked))
          expect((await read(asked)).covered).to.deep.equal(asked.filter(day => day !== cut))
        }
      })

      it('The least recently used coverage is dropped from a full cache', async () => {
        await merging('STOP')
        const { asked, of } = watched()
        const ranges = Array.from({ length: 65 }, (_, i) => [{ startMs: firstMs + i, endMs: firstMs + i + 1 }])
        for (const range of ranges) await read(range, of)
        const before = asked.length
        for (const range of [ranges[64], ranges[1], ranges[0]]) await read(range ?? [], of)
        expect(asked.slice(before)).to.deep.equal([
          ...writeCheck,
          ...writeCheck,
          ...writeCheck,
          'stale_days',
          'day_coverage',
        ])
      })

      for (const query of hasOthers ? [1, 2, 3] : [1, 2]) {
        it(`A write after query ${query} of a read is visible in the next read`, async () => {
          await coverAll()
          const { of } = watched(async queries => {
            if (queries === query) await writer.writeStaleDays([mark({})])
          })
          await read(days, of)
          expect((await read()).stale).to.deep.equal([{ machineRef: 11, startMs: days[1]?.startMs }])
        })
      }

      if (hasOthers)
        it('Without access to system.parts, coverage is read from the rows', async () => {
          const denied = { code: 497, type: 'ACCESS_DENIED', retryable: false, query: '' }
          let refused = 0
          const of: Store = {
            ...store(),
            queryColumns: async (...args) => {
              if (!render(args[0]).query.includes('system.parts')) return store().queryColumns(...args)
              refused++
              throw new StoreError('Not enough privileges', denied)
            },
          }
          await coverAll()
          expect((await read(days, of)).covered).to.deep.equal(days)
          await writer.writeCoverage([coverage({ ...days[0], covered: false, version: 2n })])
          expect((await read(days, of)).covered).to.deep.equal(days.slice(1))
          expect(refused).to.equal(1)
        })
    })

    it('Cached coverage equals uncached coverage during random writes and merges', async function () {
      const write = fc.record({
        kind: fc.constantFrom('mark', 'mark', 'day', 'day', 'ownership', 'merge', 'other', 'again'),
        day: fc.nat(2),
        partition: fc.nat(1),
        machineRef: fc.nat(2),
        partitions: fc.constantFrom(1, 2, 2, 2),
        isOn: fc.boolean(),
        isLate: fc.constantFrom(true, false, false, false),
        isNewEpoch: fc.constantFrom(true, false, false, false),
      })
      const step = fc.record({
        write,
        readAt: fc.constantFrom(0, 0, 1, 2, 3),
        from: fc.nat(2),
        count: fc.integer({ min: 1, max: 3 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async steps => {
          companyRef = asCompanyRef(companyRef + 2)
          known = new CoverageCache()
          let version = 1_000n
          const epochs = [1n, 1n]
          let last = () => coverAll()
          await writer.writeCoverage(
            [0, 1].flatMap(partition =>
              [ownership, ...days].map(day => coverage({ ...day, partition, partitions: 2 })),
            ),
          )
          const apply = async (given: (typeof steps)[number]['write']) => {
            const { kind, day, partition, machineRef, partitions, isOn, isLate, isNewEpoch } = given
            // A late write comes from a previous owner: its rows never apply.
            const common = { version: isLate ? ++version - 900n : ++version }
            if (isNewEpoch && !isLate && kind === 'ownership') epochs[partition] = version
            const row = {
              ...common,
              partition,
              partitions,
              covered: kind === 'ownership' || isOn,
              epoch: epochs[partition] ?? 1n,
            }
            if (kind === 'merge') {
              await other.command(sql`OPTIMIZE TABLE stale_days FINAL`)
              await other.command(sql`OPTIMIZE TABLE day_coverage FINAL`)
              return
            }
            if (kind === 'mark')
              last = () =>
                writer.writeStaleDays([
                  mark({ ...common, ...days[day], machineRef: asMachineRef(machineRef), stale: isOn }),
                ])
            if (kind === 'day') last = () => writer.writeCoverage([coverage({ ...row, ...days[day] })])
            if (kind === 'ownership')
              last = () => writer.writeCoverage([coverage({ ...row, firstMs: isOn ? 0 : firstMs })])
            if (kind === 'other')
              last = () => writer.writeCoverage([coverage({ ...row, companyRef: asCompanyRef(companyRef + 1) })])
            await last()
          }
          for (const { write: given, readAt, from, count } of steps) {
            const asked = days.slice(from, from + count)
            let queries = 0
            const beside: Store = {
              ...store(),
              queryColumns: async (...args) => {
                const answer = await store().queryColumns(...args)
                if (++queries === readAt) await apply(given)
                return answer
              },
            }
            await read(asked, beside)
            if (queries < readAt || readAt === 0) await apply(given)
            expect(await read(asked)).to.deep.equal(await scratch(asked))
          }
        }),
        { numRuns: 2 },
      )
    })
  })
}
