import { assert } from 'chai'
import * as fc from 'fast-check'
import { type CellValue, readCell } from '../../../api/import/cell.ts'
import { CellError } from '../../../api/import/cell-values.ts'
import type { FieldKind } from '../../../api/import/fields.ts'

const kinds: readonly FieldKind[] = ['text', 'longText', 'date', 'number', 'amount', 'percent', 'partTime', 'setupTime']
/** Limit of CPU time in ms: a reader with quadratic time in a cell's length needs far longer. */
const maxMs = 2000

describe('readCell', () => {
  const read = (cell: string, kind: FieldKind): CellValue | CellError => {
    try {
      return readCell(cell, kind, {})
    } catch (error) {
      if (error instanceof CellError) return error
      throw error
    }
  }

  const long: Readonly<Record<string, string>> = {
    digits: `${'1'.repeat(100_000)}x`,
    'digits behind a point': `1.${'1'.repeat(100_000)}x`,
    spaces: `1${' '.repeat(100_000)}x`,
    'spaces before a percent sign': `1${' '.repeat(100_000)}%x`,
    'a fraction of a second': `2026-04-01T00:00:00.${'1'.repeat(100_000)}x`,
  }
  for (const [name, cell] of Object.entries(long))
    it(`A cell of 100,000 characters with ${name} is rejected in linear time with a short message`, () => {
      const before = process.cpuUsage()
      for (const kind of kinds) {
        const fault = read(cell, kind)
        assert.instanceOf(fault, CellError, kind)
        if (fault instanceof CellError) assert.isBelow(fault.message.length, 200, kind)
      }
      assert.isBelow(process.cpuUsage(before).user / 1000, maxMs)
    })

  const numbers: Readonly<Record<string, number>> = {
    '1': 1,
    ' 12.5 ': 12.5,
    '1.': 1,
    '.5': 0.5,
    '+3e2': 300,
    '1.5E-1': 0.15,
  }
  for (const [cell, value] of Object.entries(numbers))
    it(`The cell '${cell}' is read as a number`, () => assert.equal(read(cell, 'number'), value))

  for (const cell of ['.', '1.2.3', '1e', '--1', '0x10', 'Infinity', '1 2'])
    it(`The cell '${cell}' is rejected as a number`, () => assert.instanceOf(read(cell, 'number'), CellError))

  it('A percentage in a cell is read with and without the percent sign', () =>
    assert.deepEqual(
      ['90', '90%', '90 %'].map(cell => read(cell, 'percent')),
      [0.9, 0.9, 0.9],
    ))

  it('A serial date is read as the exact second, in both date systems', () => {
    const firstS = 0
    const lastS = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000
    fc.assert(
      fc.property(
        fc.integer({ min: firstS, max: lastS }),
        fc.boolean(),
        fc.integer({ min: 6, max: 12 }),
        (atS, is1904, decimals) => {
          const serial = 25_569 + atS / 86_400
          // Five decimals of a day are 0.9 s: fewer do not distinguish seconds.
          const number = Number((is1904 ? serial - 1462 : serial).toFixed(decimals))
          const cell = { number, isDate: true, ...(is1904 && { serial: number + 1462 }) }
          assert.equal(readCell(cell, 'date', {}), new Date(atS * 1000).toISOString())
        },
      ),
      {
        examples: [
          [0, false, 12],
          [lastS, true, 12],
          [Date.UTC(2028, 1, 29) / 1000, true, 6],
        ],
      },
    )
  })
})
