import { assert } from 'chai'
import * as fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCsv } from '../../../../api/import/csv/read-csv.ts'

/** Bytes that the reader parses in one step: the test places rows across this border. */
const chunkBytes = 1 << 14

const cell = fc.string({
  unit: fc.constantFrom('a', '1', '"', ',', ';', '\n', '\r\n', '\r', '\t', ' ', '\u00e4', '\u20ac', '\u00a0'),
  maxLength: 8,
})

describe('readCsv', function () {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'takt-csv-'))))
  after(() => rmSync(folder, { recursive: true }))

  const rowsOf = async (text: string): Promise<readonly (readonly unknown[])[]> => {
    const path = join(folder, 'jobs.csv')
    writeFileSync(path, text)
    const rows: (readonly unknown[])[] = []
    for await (const { cells } of readCsv(path)) rows.push(cells)
    return rows
  }

  it('Cells of a CSV file are read trimmed, with each line ending and across the borders of chunks', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        fc.integer({ min: 0, max: 60 }),
        async (rows, end, hasMark, shift) => {
          const before = 'f'.repeat(chunkBytes - 60 + shift)
          const lines = [['name', 'part'], [before, 'x'], ...rows].map(row => row.map(quoted).join(','))
          const read = await rowsOf(`${hasMark ? '\uFEFF' : ''}${lines.join(end)}${end}`)
          assert.deepEqual(
            read.slice(2),
            rows.map(row => row.map(text => text.trim())),
          )
        },
      ),
      { numRuns: 150 },
    ))
})

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
