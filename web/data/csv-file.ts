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

/** Has the browser store a text as a CSV file. The byte order mark prevents Excel from reading Windows-1252. */
export function downloadCsv(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  link.download = name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
