/**
 * Prints the rows of a sheet, one JSON array of cells per line; the last line is `{refused: {status, message}}` if the
 * workbook cannot be read. Runs as its own process (`read-xlsx.ts`), so that no file can crash the service. Arguments: the
 * file, the sheet (empty: the first visible one), and the limits of rows, columns and characters of a row.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { CellObject } from 'xlsx'
import { RefusedFile } from './clean-zip.ts'
import { readSheet } from './read-sheet.ts'
import { isEmptyCell, toFileCell, type WorkbookTraits } from './sheet-cell.ts'
import type { FileCell } from '../rows/file-row.ts'

async function main(args: readonly string[]): Promise<void> {
  const [path = '', sheet = '', rows = '0', columns = '0', chars = '0'] = args
  const { cells, traits } = readSheet(await readFile(path), sheet, Number(rows))
  const count = Math.min(cells.findLastIndex(row => row?.some(cell => !isEmptyCell(cell))) + 1, Number(rows))
  let lines: string[] = []
  for (let row = 0; row < count; row++) {
    lines.push(lineOf(cells[row] ?? [], traits, { row, columns: Number(columns), chars: Number(chars) }))
    if (lines.length < 1000) continue
    await print(lines)
    lines = []
  }
  await print(lines)
}

interface RowLimits {
  readonly row: number
  readonly columns: number
  readonly chars: number
}

function lineOf(row: readonly (CellObject | undefined)[], traits: WorkbookTraits, limits: RowLimits): string {
  const length = row.findLastIndex(cell => !isEmptyCell(cell)) + 1
  const location = `Row ${limits.row + 1}`
  if (length > limits.columns) throw new RefusedFile(400, `${location} has more than ${limits.columns} columns`)
  const cells = Array.from(row.slice(0, length), cell => toFileCell(cell, traits))
  if (cells.reduce((sum: number, cell) => sum + charsOf(cell), 0) > limits.chars)
    throw new RefusedFile(400, `${location} is longer than ${limits.chars} characters`)
  return JSON.stringify(cells)
}

function charsOf(cell: FileCell): number {
  if (typeof cell === 'string') return cell.length
  return typeof cell === 'object' && 'shown' in cell ? (cell.shown?.length ?? 0) : 0
}

async function print(lines: readonly string[]): Promise<void> {
  if (lines.length > 0 && !process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain')
}

main(process.argv.slice(2)).catch(async (error: unknown) => {
  const { status, message } =
    error instanceof RefusedFile ? error : new RefusedFile(400, 'Cannot read the workbook', error)
  await print([JSON.stringify({ refused: { status, message } })])
})
