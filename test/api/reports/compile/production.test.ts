import { expect } from 'chai'
import { rejectForeignReads } from '../../../../clickhouse/tables/company-guard.ts'
import { render, sql } from '../../../../clickhouse/sql/sql.ts'
import { hourMs } from '../../../../shared/time/units.ts'
import { reportDimensions } from '../../../../schema/groupings.ts'
import { metrics } from '../../../../schema/metrics.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { store, TestPlant } from '../plant-support.ts'
import type { ProductionPlan } from '../../../../api/reports/plan/production.ts'
import { productionReport } from '../../../../api/reports/production.ts'
import { planOf, sourcesFor } from '../stages.ts'

const nowMs = Date.parse('2026-03-05T12:34:56.789Z')
const range = { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:30:00Z' }
const everyMetric = Object.keys(metrics).map(metric => ({ metric }))

const compile = (plan: ProductionPlan) => productionReport.compile(plan, sourcesFor(plan)).sql

const startMs = 'toInt64(toUnixTimestamp(slot)) * 1000 + element_start'
const endMs = 'toInt64(toUnixTimestamp(slot)) * 1000 + element_end'

describe('the query of a production report', () => {
  const database = useFreshDatabase()

  it('Whole hours are read from the sums of documents, and a cut hour from its segments', () => {
    const plan = planOf(
      new TestPlant({}, 1),
      { ...range, data: [{ metric: 'utilizationRate' }], groupBy: [{ group: 'machine' }] },
      nowMs,
    )
    const { query, query_params: params } = render(compile(plan))
    expect(query.replace(/\s+/g, ' ').trim()).to.equal(
      'SELECT machine AS k_machine, toFloat64(sum(duration_ms)) AS sum_allMs, toFloat64(sum(in_cycle_ms)) AS sum_inCycleMs FROM ( ' +
        'SELECT machine, element_duration_ms AS duration_ms, element_in_cycle_ms AS in_cycle_ms ' +
        'FROM hours FINAL ARRAY JOIN facts_duration_ms AS element_duration_ms, facts_in_cycle_ms AS element_in_cycle_ms ' +
        "WHERE (hours.company = {p0:UInt32}) AND (slot >= {p1:DateTime('UTC')} AND slot < {p2:DateTime('UTC')} " +
        "AND toDate(slot) BETWEEN toDate({p3:DateTime('UTC')}) AND toDate({p4:DateTime('UTC')})) UNION ALL " +
        `SELECT machine, toUInt32(least(${endMs}, {p5:Int64}) - greatest(${startMs}, {p6:Int64})) AS duration_ms, ` +
        `if(element_in_cycle, toUInt32(least(${endMs}, {p7:Int64}) - greatest(${startMs}, {p8:Int64})), 0) AS in_cycle_ms ` +
        'FROM hours FINAL ARRAY JOIN segment_start AS element_start, segment_end AS element_end, segment_in_cycle AS element_in_cycle ' +
        "WHERE (hours.company = {p9:UInt32}) AND (slot IN {p10:Array(DateTime('UTC'))}) AND " +
        `(${startMs} < {p11:Int64} AND (${endMs} > {p12:Int64} OR ${startMs} >= {p13:Int64}))) ` +
        'GROUP BY k_machine HAVING count() > 0',
    )
    expect([params['p0'], params['p3'], params['p4'], params['p10']]).to.deep.equal([
      1,
      '2026-03-02 00:00:00',
      '2026-03-03 00:00:00',
      ['2026-03-03 00:00:00'],
    ])
  })

  it('The cut hours at both ends of the range are read by one SELECT', () => {
    const bothCut = { start: '2026-03-02T00:20:00Z', end: '2026-03-03T00:30:00Z' }
    const { query, query_params: params } = render(
      compile(planOf(new TestPlant({}, 1), { ...bothCut, data: [{ metric: 'totalParts' }] }, nowMs)),
    )
    expect(query.match(/(?<=FROM )\w+/g)).to.deep.equal(['hours', 'hours'])
    expect(Object.values(params)).to.deep.include(['2026-03-02 00:00:00', '2026-03-03 00:00:00'])
  })

  it('Elements of several kinds are read by one SELECT, as concatenated arrays of each document', () => {
    const cut = { start: '2026-03-02T00:20:00Z', end: '2026-03-02T00:50:00Z' }
    const compiled = compile(
      planOf(new TestPlant({}, 1), { ...cut, data: [{ metric: 'scrapParts' }, { metric: 'timeInCycle' }] }, nowMs),
    )
    const query = render(compiled).query.replace(/\s+/g, ' ')
    expect(query.match(/(?<=FROM )\w+/g)).to.deep.equal(['hours'])
    for (const text of [
      'arrayConcat(segment_start, adjustment_at) AS element_start',
      'segment_in_cycle AS element_in_cycle',
      'arrayConcat(arrayWithConstant(length(segment_shift), 0), adjustment_scrap) AS element_scrap',
      'SETTINGS enable_unaligned_array_join = 1)',
    ])
      expect(query).to.include(text)
  })

  it('Job runs are looked up only if a metric needs a standard that differs between records', () => {
    const plant = new TestPlant()
    const joined = (metric: string) =>
      planOf(plant, { ...range, data: [{ metric }] }, nowMs).standards.flatMap(({ runColumn }) => runColumn ?? [])
    expect([joined('totalParts'), joined('timeInCycle'), joined('oeeWarningThreshold')]).to.deep.equal([[], [], []])
    expect(joined('scheduledIdealParts')).to.deep.equal(['ideal_part_ms'])
    plant.operation(2, { partCountMultiplier: 3 })
    expect([joined('totalParts'), joined('timeInCycle')]).to.deep.equal([['multiplier'], []])
    plant.machine(2, { thresholds: { oeeWarning: 0.1 } })
    expect(joined('oeeWarningThreshold')).to.deep.equal([])
    plant.operation(3, { thresholds: { oeeWarning: 0.2 } })
    expect(joined('oeeWarningThreshold')).to.deep.equal(['oee_warning'])
  })

  it('Every grouping and filter of production reports compiles to SQL that ClickHouse accepts', async () => {
    const plant = new TestPlant()
    plant.operation(1)
    plant.run(1, plant.machine(1))
    const filter = {
      machine: ['x'],
      machineGroup: ['none'],
      jobOperation: ['operation-1', 'none'],
      shift: ['none'],
      operator: ['none', 'y'],
    }
    for (const group of reportDimensions.production.groupings) {
      const plan = planOf(plant, { ...range, data: everyMetric, groupBy: [{ group }], filter }, nowMs)
      const query = rejectForeignReads(compile(plan), plan.companyRef)
      const plain = await database().query(sql`EXPLAIN ${query}`)
      expect(plain, group).not.to.be.empty
    }
  })

  it('The query for a single machine uses the primary key', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(1)
    const plan = planOf(plant, { ...range, data: [{ metric: 'allTime' }], filter: { machine: [machine.id] } }, nowMs)
    const midnight = Date.parse(range.start)
    await store(database(), plant.documents(machine, [], midnight, midnight + hourMs))
    const explained = await database().query<{ explain: string }>(sql`EXPLAIN indexes = 1 ${compile(plan)}`)
    const text = explained.map(({ explain }) => explain.replace(/[│├└─\s]+/g, ' ').trim()).join(' ')
    expect(text).to.match(/PrimaryKey Keys: company slot machine/)
  })
})
