import { expect } from 'chai'
import { parseByReason } from '../../../api/reports/request/parse.ts'
import { compileQuality, qualityReport, planQuality } from '../../../api/reports/quality.ts'
import { sourcesOf } from '../../../api/reports/sources/sources.ts'
import { reportDimensions } from '../../../schema/groupings.ts'
import type { PartAdjustmentRecord } from '../../../schema/records/part-adjustment.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { store, TestPlant, viewOf } from './plant-support.ts'
import { askFor, at, explain, groupBy, midnightMs, outline } from './event-support.ts'
import { hourMs } from '../../../shared/time/units.ts'

const nowMs = midnightMs + 72 * hourMs

const nothing = { categoryId: null, message: '', scrapCount: 0, count: 0, rejectBehavior: null } as const

describe('quality reports', () => {
  const database = useFreshDatabase()

  /** One machine, with adjustments at hours after midnight. */
  async function adjusted(
    adjustments: readonly (readonly [hour: number, fields: Partial<PartAdjustmentRecord>])[],
    untilHour = 72,
  ): Promise<TestPlant> {
    const plant = new TestPlant()
    const companyId = plant.company.id
    const machine = plant.machine(1, { commissionedAt: at(1) })
    const type = { companyId, color: '#f00', correction: false, scrap: true, hidden: false } as const
    plant.put('partAdjustmentType', { ...type, id: 4, name: 'Burr', rejectBehavior: 'scrap' })
    plant.put('partAdjustmentType', { ...type, id: 5, name: 'Ask', rejectBehavior: 'operator' })
    for (const [i, [hour, fields]] of adjustments.entries())
      plant.put('partAdjustment', {
        ...nothing,
        id: `p${i}`,
        companyId,
        machineId: machine.id,
        adjustmentTime: at(hour),
        ...fields,
      })
    await store(database(), plant.documents(machine, [], midnightMs, midnightMs + untilHour * hourMs))
    return plant
  }

  const ask = (plant: TestPlant, body: object = {}, atMs = nowMs) =>
    askFor('quality', { plant, store: database(), nowMs: atMs }, body)

  it('A quality report counts rejects of both reject behaviors, and no corrections', async () => {
    const plant = await adjusted([
      [2, { scrapCount: 3, categoryId: 4 }],
      [3, { scrapCount: 2, rejectBehavior: 'nonconform', categoryId: 5 }],
      [4, { scrapCount: -1 }],
      [5, { count: 9, categoryId: 4 }],
    ])
    expect(await ask(plant, groupBy('reason'))).to.deep.equal({
      range: { start: at(0), end: at(48) },
      aggregate: { rejectCount: 4, recordCount: 3 },
      entities: {
        reason: {
          4: { id: 4, name: 'Burr', color: '#f00' },
          5: { id: 5, name: 'Ask', color: '#f00' },
          uncategorized: { id: 'uncategorized', name: 'Uncategorized', virtual: true },
        },
      },
      items: [
        { entity: { type: 'reason', id: '5' }, aggregate: { rejectCount: 2, recordCount: 1 } },
        { entity: { type: 'reason', id: '4' }, aggregate: { rejectCount: 3, recordCount: 1 } },
        { entity: { type: 'reason', id: 'uncategorized' }, aggregate: { rejectCount: -1, recordCount: 1 } },
      ],
    })
    const filtered = await ask(plant, { filter: { reason: ['uncategorized', '4'] } })
    expect(filtered.aggregate).to.deep.equal({ rejectCount: 2, recordCount: 2 })
  })

  it('A quality report shows a group whose rejects sum to 0', async () => {
    const plant = await adjusted([[2, { scrapCount: 3 }], [3, { scrapCount: -3 }]]) // prettier-ignore
    expect(outline((await ask(plant, groupBy('day'))).items)).to.deep.equal([['0', 0, 2]])
  })

  it('A quality report counts a reject at an instant in the range, in the commissioned time and not after now', async () => {
    const one = { scrapCount: 1 }
    const plant = await adjusted([[0.5, one], [2, one], [10.25, one], [12, one]]) // prettier-ignore
    const countOf = async (from: number, to: number, atMs = nowMs) =>
      (await ask(plant, { start: at(from), end: at(to) }, atMs)).aggregate['recordCount']
    expect(await countOf(0, 48)).to.equal(3)
    expect(await countOf(2, 10.25)).to.equal(1)
    expect(await countOf(2, 2 + 1 / hourMs)).to.equal(1)
    expect(await countOf(10.25, 12.001)).to.equal(2)
    expect(await countOf(0, 48, midnightMs + 11 * hourMs)).to.equal(2)
  })

  it('A quality report includes rejects after the last document if newer documents are missing', async () => {
    const plant = await adjusted([[5.25, { scrapCount: 2 }]], 4)
    const { aggregate } = await ask(plant, groupBy('reason', 'day'), midnightMs + 5.5 * hourMs)
    expect(aggregate).to.deep.equal({ rejectCount: 2, recordCount: 1 })
  })

  it('Every grouping and filter of quality reports compiles to SQL that ClickHouse accepts, with the company at every table', async () => {
    const plant = await adjusted([])
    const filter = Object.fromEntries(reportDimensions.quality.filters.map(name => [name, ['x']]))
    for (const group of reportDimensions.quality.groupings) {
      const body = { start: at(0), end: at(48), ...groupBy(group), filter }
      const plan = planQuality(parseByReason('quality', body), viewOf(plant, nowMs))
      expect(
        await explain(
          database(),
          compileQuality(plan, sourcesOf(plan, qualityReport.sources, {})).sql,
          plan.companyRef,
        ),
        group,
      ).not.to.be.empty
    }
  })
})
