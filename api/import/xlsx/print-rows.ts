/**
 * Prints the rows of a sheet, a JSON array of texts a line, the last line `{refused: {status, message}}` where it can't be read.
 * Runs as a process of its own (`read-xlsx.ts`), so that no file can take the service with it: arguments are the file, the sheet
 * (empty: the first one), and how many rows, columns and characters of a row are read at most.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type CellObject, type DenseWorkSheet, read, type WorkBook } from 'xlsx'
import { cleanZip, RefusedFile } from './clean-zip.ts'

async function main(args: readonly string[]): Promise<void> {
  const [path = '', sheet = '', rows = '0', columns = '0', chars = '0'] = args
  const cells = cellsOf(await readFile(path), sheet, Number(rows))
  let lines: string[] = []
  for (let row = 0; row < Math.min(cells.length, Number(rows)); row++) {
    lines.push(JSON.stringify(textsOf(cells[row] ?? [], row, Number(columns), Number(chars))))
    if (lines.length < 1000) continue
    await print(lines)
    lines = []
  }
  await print(lines)
}

function cellsOf(file: Buffer, sheetName: string, rows: number): readonly (readonly CellObject[])[] {
  const workbook = parse(file, sheetName, rows)
  const name = sheetName === '' ? workbook.SheetNames[0] : sheetName
  const sheet = workbook.Sheets[name ?? '']
  if (!sheet)
    throw new RefusedFile(
      400,
      sheetName === '' ? 'The workbook has no sheet' : `The workbook has no sheet '${sheetName}'`,
    )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `dense` asks for
  return (sheet as DenseWorkSheet)['!data'] ?? []
}

function parse(file: Buffer, sheetName: string, rows: number): WorkBook {
  const zip = cleanZip(file)
  try {
    return read(zip, {
      type: 'array',
      dense: true,
      cellDates: true,
      cellFormula: false,
      cellHTML: false,
      cellText: false,
      sheetRows: rows,
      sheets: sheetName === '' ? 0 : sheetName,
    })
  } catch (error) {
    throw new RefusedFile(400, 'The workbook can not be read', error)
  }
}

function textsOf(
  cells: readonly (CellObject | undefined)[],
  row: number,
  columns: number,
  chars: number,
): readonly string[] {
  if (cells.length > columns) throw new RefusedFile(400, `Row ${row + 1} has more than ${columns} columns`)
  const texts = Array.from(cells, textOf)
  if (texts.reduce((sum, { length }) => sum + length, 0) > chars)
    throw new RefusedFile(400, `Row ${row + 1} is longer than ${chars} characters`)
  return texts
}

/** Text of a cell: of a formula its last result; of an error, an empty text. */
function textOf(cell: CellObject | undefined): string {
  if (cell?.v === undefined || cell.t === 'e') return ''
  if (cell.v instanceof Date) return Number.isNaN(cell.v.getTime()) ? '' : cell.v.toISOString()
  return String(cell.v).trim()
}

async function print(lines: readonly string[]): Promise<void> {
  if (lines.length > 0 && !process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain')
}

main(process.argv.slice(2)).catch(async (error: unknown) => {
  const { status, message } =
    error instanceof RefusedFile ? error : new RefusedFile(400, 'The workbook can not be read', error)
  await print([JSON.stringify({ refused: { status, message } })])
})
