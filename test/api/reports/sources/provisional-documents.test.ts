import { expect } from 'chai'
import { render } from '../../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../../clickhouse/client/store.ts'
import type { HourDocument } from '../../../../schema/document.ts'
import { ApiError } from '../../../../schema/errors.ts'
import { metrics } from '../../../../schema/metrics.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { sample, store, TestPlant } from '../plant-support.ts'
import { wholeBody } from '../whole-body.ts'

const hour = 3_600_000
const midnight = Date.parse('2026-03-02T00:00:00.000Z')
const data = [{ metric: 'allTime' }, { metric: 'timeInCycle' }, { metric: 'totalParts' }]

describe('reports beyond the last document', () => {
  const database = useFreshDatabase()

  /** `late`: the documents arrive during the report, immediately after it found that they are missing. */
  async function asked(documentsUntilHour: number, nowHour: number, body: object = {}, late = false) {
    const plant = new TestPlant()
    const machine = plant.machine(1, { commissionedAt: '2026-03-02T00:00:00.000Z' })
    plant.put('partAdjustment', {
      id: 'p1',
      companyId: plant.company.id,
      machineId: machine.id,
      adjustmentTime: '2026-03-02T05:15:00.000Z',
      categoryId: null,
      message: '',
      scrapCount: 0,
      count: 3,
      rejectBehavior: null,
    })
    const samples = [sample(machine, midnight + hour, 'EXECUTION', 'ACTIVE')]
    const documents = plant.documents(machine, samples, midnight, midnight + 7 * hour)
    const inTime = ({ slotMs }: HourDocument) => slotMs < midnight + documentsUntilHour * hour
    await store(database(), documents.filter(inTime))
    const slow: Store = {
      ...database(),
      numbers: async (query, options) => {
        if (late && render(query).query.includes('sum_allMs')) await store(database(), documents)
        return database().numbers(query, options)
      },
    }
    return plant
      .reports(slow, () => midnight + nowHour * hour)
      .production(plant.company.id, {
        start: '2026-03-02T00:30:00Z',
        end: '2026-03-03T00:00:00Z',
        data,
        groupBy: [{ group: 'machine' }],
        ...body,
      })
  }

  const whole = { allTime: 5 * hour, timeInCycle: 4.5 * hour, totalParts: 3 }

  it('A report computes up to two missing hours from the state at the end of the last document', async () => {
    expect((await asked(7, 5.5)).aggregate).to.deep.equal(whole)
    expect((await asked(5, 5.5)).aggregate).to.deep.equal(whole)
    expect((await asked(4, 5.5)).aggregate).to.deep.equal(whole)
  })

  it('Every metric of a provisional document equals that of the written document', async () => {
    const everyMetric = Object.keys(metrics).map(metric => ({ metric }))
    const groupBy = [{ group: 'shift' }, { group: 'operator' }, { group: 'jobOperationRun' }, { group: 'day' }]
    const written = await asked(7, 5.5, { data: everyMetric, groupBy })
    const provisional = await asked(4, 5.5, { data: everyMetric, groupBy })
    expect(wholeBody(provisional)).to.deep.equal(wholeBody(written))
  })

  it('A document that is written during the report counts once', async () => {
    expect((await asked(4, 5.5, {}, true)).aggregate).to.deep.equal(whole)
  })

  it('A report that lacks more than two hours is rejected with 503', async () => {
    const error: unknown = await asked(3, 5.5).then(
      () => null,
      (caught: unknown) => caught,
    )
    expect(error).to.be.instanceOf(ApiError)
    expect(error).to.include({ status: 503, retryAfterS: 2 })
  })

  it('A new machine without documents is included from its creation', async () => {
    const plant = new TestPlant()
    plant.machine(1, { createdAt: '2026-03-02T04:45:00.000Z' })
    const { aggregate } = await plant
      .reports(database(), () => midnight + 5 * hour)
      .production(plant.company.id, { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z', data })
    expect(aggregate['allTime']).to.equal(hour / 4)
  })

  it('Machines without documents are queried again only when another machine has been commissioned', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(1, { commissionedAt: '2026-03-02T00:00:00.000Z' })
    const gone = { commissionedAt: '2026-01-01T00:00:00.000Z', decommissionedAt: '2026-02-01T00:00:00.000Z' }
    plant.machine(2, gone)
    await store(database(), plant.documents(machine, [], midnight, midnight + 5 * hour))
    let [queries, nowMs] = [0, midnight + 4.5 * hour]
    const watched: Store = {
      ...database(),
      queryColumns: (query, options) => {
        if (render(query).query.includes('SELECT DISTINCT machine AS machineRef FROM hours')) queries++
        return database().queryColumns(query, options)
      },
    }
    const reports = plant.reports(watched, () => nowMs)
    const allTime = async () => {
      const body = { start: '2026-03-02T04:00:00Z', end: '2026-03-02T05:00:00Z', data: data.slice(0, 1) }
      return (await reports.production(plant.company.id, body)).aggregate['allTime']
    }
    expect([await allTime(), await allTime(), await allTime(), queries]).to.deep.equal([
      hour / 2,
      hour / 2,
      hour / 2,
      1,
    ])
    plant.machine(3, { createdAt: '2026-03-02T04:45:00.000Z' })
    expect([await allTime(), await allTime(), queries]).to.deep.equal([hour / 2, hour / 2, 1])
    nowMs = midnight + 5 * hour
    expect([await allTime(), queries > 1]).to.deep.equal([1.25 * hour, true])
  })

  it('A report does not wait for documents of the time before a machine was created', async () => {
    const plant = new TestPlant()
    plant.machine(1, { createdAt: '2026-03-02T04:45:00.000Z', commissionedAt: '2026-01-01T00:00:00.000Z' })
    const { aggregate } = await plant
      .reports(database(), () => midnight + 5 * hour)
      .production(plant.company.id, { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z', data })
    expect(aggregate['allTime']).to.equal(0)
  })
})
