import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  blockSize,
  computation,
  groupMetrics,
  rounded,
  roundedSql,
} from '../../../../api/reports/present/metric-values.ts'
import { formulaSql } from '../../../../api/reports/files/table-query.ts'
import { ident, join, sql, str } from '../../../../clickhouse/sql/sql.ts'
import { metrics } from '../../../../schema/metrics.ts'
import { type SumName, sums } from '../../../../schema/sums.ts'
import { useFreshDatabase } from '../../../support/database.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names
const names = Object.keys(sums) as SumName[]
const formulas = Object.values(metrics).map(({ formula }) => formula)

/** Arbitrary sums, also unlikely ones: zeros, fractions, and negative ones after adjustments. */
const amount = fc.oneof(
  fc.constantFrom(0, 0, 1, -1, 0.5, 3_600_000, 86_400_000, 1e13, 2 / 3),
  fc.nat(5_000_000),
  fc.double({ min: -1e7, max: 1e13, noNaN: true }),
  fc.double({ min: 0, max: 1e-3, noNaN: true }),
)
const group = fc.tuple(
  ...names.map(name => (sums[name] === 'add' ? amount : fc.option(amount, { nil: null, freq: 2 }))),
)

describe('formulas of metrics', () => {
  const store = useFreshDatabase()

  it('A formula of a metric has the same result in the service and in ClickHouse, to the last digit', async function () {
    const groups = fc.sample(group, 5000)
    const columns = join(
      names.map(name => {
        const nothing = sums[name] === 'min' ? sql`inf` : sql`-inf`
        return sql`ifNull(${ident(`given_${name}`)}, ${nothing}) AS ${ident(`sum_${name}`)}`
      }),
    )
    const values = formulas.map(
      (formula, i) => sql`${roundedSql(formulaSql(formula, name => ident(`sum_${name}`)))} AS ${ident(`value_${i}`)}`,
    )
    const structure = names.map(name => `given_${name} Nullable(Float64)`).join(', ')
    const lines = groups.map(given => JSON.stringify(given)).join('\n')
    const query = sql`
      SELECT ${join(values)}
      FROM (SELECT ${columns} FROM format(JSONCompactEachRow, ${str(structure)}, ${str(lines)}))`
    const made = await store().numbers(
      query,
      formulas.map((_, i) => `value_${i}`),
    )
    const column = (name: SumName) => {
      const nothing = sums[name] === 'min' ? Infinity : -Infinity
      return Float64Array.from(groups, given => given[names.indexOf(name)] ?? nothing)
    }
    for (const [i, [metric, { formula }]] of Object.entries(metrics).entries()) {
      const compute = computation(formula, column)
      const blocks = Array.from({ length: Math.ceil(groups.length / blockSize) }, (_, block) => block * blockSize)
      const computed = blocks.flatMap(from =>
        [...compute(from, Math.min(blockSize, groups.length - from))].slice(0, groups.length - from),
      )
      expect([...(made[i] ?? [])], metric).to.deep.equal(computed.map(rounded))
    }
  })

  it('A formula of a metric without input has no result', () => {
    const nothing = (name: SumName) => Float64Array.of({ add: 0, min: Infinity, max: -Infinity }[sums[name]])
    const none = Object.entries(metrics).filter(([, { formula }]) =>
      Number.isNaN(computation(formula, nothing)(0, 1)[0]),
    )
    expect(none.map(([name]) => name)).to.include.members(['oee', 'availability', 'idealPartTime', 'minStartTime'])
  })
})

describe('values of metrics', () => {
  it('Metric values are independent of the order of access to groups', () => {
    const groups = 40 * blockSize + 7
    const worked = Float64Array.from({ length: groups }, (_, group) => group % 1000)
    const inCycle = Float64Array.from({ length: groups }, (_, group) => group % 77)
    const given = new Map([['workedMs', worked], ['workedInCycleMs', inCycle]] as const) // prettier-ignore
    const { valueAt } = groupMetrics({ sums: given }, ['scheduledTime', 'availability'])
    for (const group of [0, 1, groups - 1, blockSize, ...fc.sample(fc.nat(groups - 1), 5000)]) {
      const [workedMs, inCycleMs] = [group % 1000, group % 77]
      expect(valueAt(group, 0)).to.equal(workedMs)
      expect(valueAt(group, 1)).to.equal(workedMs === 0 ? null : rounded(inCycleMs / workedMs))
    }
  })
})

describe('rounded numbers', () => {
  it('A rounded number is an integer or has at most ten digits', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), value => {
        const text = String(rounded(value))
        const digits = text.replace(/^-?0?\.?0*|e.*$/g, '').replace('.', '')
        expect(Number.isInteger(Number(text)) || digits.length <= 10, text).to.equal(true)
        expect(Math.abs(Number(text) - value)).to.be.at.most(1e-9 * Math.max(1, Math.abs(value)))
      }),
    )
  })

  it('A rounded number is never a negative zero', () => {
    expect(Object.is(rounded(-1e-12), 0)).to.equal(true)
    expect(Object.is(rounded(-0), 0)).to.equal(true)
  })
})
