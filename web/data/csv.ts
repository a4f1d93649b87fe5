import { csvText } from '../../shared/csv-text.ts'

type Cell = string | number | null

/**
 * Text of a CSV file with a header. `decimalMark` of the language determines the separator: `;` where it is a comma, as
 * spreadsheets of these languages expect.
 */
export function csvOf(rows: readonly (readonly Cell[])[], decimalMark: string): string {
  const separator = decimalMark === ',' ? ';' : ','
  const cellOf = (cell: Cell) =>
    typeof cell === 'number' ? String(cell).replace('.', decimalMark) : csvText(cell ?? '')
  return rows.map(row => `${row.map(cellOf).join(separator)}\r\n`).join('')
}
