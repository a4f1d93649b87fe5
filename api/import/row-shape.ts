import type { Layout } from './heading.ts'
import { type FileRow, isBlank } from './rows/file-row.ts'

/** Columns from which on a workbook's row with one filled cell is a footer or a note, and not a job. */
const minColumnsOfTable = 3

/** The reason why a row is not a row of the table under the heading, such as a footer; null if it is one. */
export function rowFaultOf({ row, cells }: FileRow, { width, cellCount, hasFullRows }: Layout): string | null {
  if (!hasFullRows) {
    const isNote = width >= minColumnsOfTable && cells.filter(cell => !isBlank(cell)).length === 1
    return isNote ? `Row ${row} has one filled cell and is not a job: remove notes and footers` : null
  }
  if (cells.length < width)
    return `Row ${row} has fewer cells (${cells.length}) than the heading (${width}): remove notes and footers`
  if (cells.slice(cellCount).every(isBlank)) return null
  return `Row ${row} has more cells than the heading (${cellCount}): quote cells that have the separator in them`
}
