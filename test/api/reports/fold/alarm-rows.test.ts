import { expect } from 'chai'
import * as fc from 'fast-check'
import { type CellSpan, cellShares } from '../../../../api/reports/fold/event-rows.ts'

/** Starts of cells, UTC seconds; the last cell does not end within the range. */
const starts = [0, 100, 250, 400, 1000]
const startOf = (ms: number) => starts.findLast(start => start * 1000 <= ms) ?? 0
const endOf = (start: number) => (starts[starts.indexOf(start) + 1] ?? Infinity) * 1000

/** Adds up instances that all start in one cell and end in one cell, as the store does. */
function spanOf(instances: readonly (readonly [beganMs: number, endedMs: number])[]): CellSpan {
  const [firstCell, lastCell] = [startOf(instances[0]?.[0] ?? 0), startOf((instances[0]?.[1] ?? 1) - 1)]
  const sum = (of: (began: number, ended: number) => number) =>
    instances.reduce((total, [began, ended]) => total + of(began, ended), 0)
  return {
    firstCell,
    lastCell,
    records: instances.length,
    totalMs: sum((began, ended) => ended - began),
    intoFirstMs: sum(began => began - firstCell * 1000),
    intoLastMs: sum((_, ended) => ended - lastCell * 1000),
    firstMs: Math.min(...instances.map(([began]) => began)),
    lastMs: Math.max(...instances.map(([, ended]) => ended)),
  }
}

describe('cellShares of alarm instances', () => {
  it('Alarm instances within one cell have one share', () => {
    expect(cellShares(spanOf([[110_000, 120_000], [100_000, 250_000]]), starts)).to.deep.equal([
      { cell: 100, amountMs: 160_000, firstMs: 100_000, lastMs: 250_000 },
    ]) // prettier-ignore
  })

  it("The share of a cell is the sum of each alarm instance's time in the cell", () => {
    const [first, last] = [fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 400_001, max: 1_000_000 })]
    fc.assert(
      fc.property(fc.array(fc.tuple(first, last), { minLength: 1 }), instances => {
        const expected = [0, 100, 250, 400].map(cell => {
          const cuts = instances.map(
            ([began, ended]) => [Math.max(began, cell * 1000), Math.min(ended, endOf(cell))] as const,
          )
          return {
            cell,
            amountMs: cuts.reduce((sum, [from, to]) => sum + to - from, 0),
            firstMs: Math.min(...cuts.map(([from]) => from)),
            lastMs: Math.max(...cuts.map(([, to]) => to)),
          }
        })
        expect(cellShares(spanOf(instances), starts)).to.deep.equal(expected)
      }),
    )
  })

  it('An alarm instance that reaches into the last cell has its share there up to the end of the range', () => {
    expect(cellShares(spanOf([[990_000, 1_500_000]]), starts)).to.deep.equal([
      { cell: 400, amountMs: 10_000, firstMs: 990_000, lastMs: 1_000_000 },
      { cell: 1000, amountMs: 500_000, firstMs: 1_000_000, lastMs: 1_500_000 },
    ])
  })
})
