import { type FieldError, fieldError, validationError } from '../../schema/errors.ts'
import { type FieldName, fieldNames } from './fields.ts'
import { type ImportColumn, textOf } from './cell.ts'
import type { MappedColumn, Mapping } from './mappings.ts'
import { type FileRow, isBlank } from './rows/file-row.ts'

/** A field of a file and its columns, by index. */
export interface FieldLayout {
  readonly column: ImportColumn
  /** Several, if the file has several of the column's headings. */
  readonly indexes: readonly number[]
  /** The column with the unit of a time. */
  readonly unitIndex?: number
}

/** Where the fields of a file are in its rows. */
export interface Layout {
  readonly fields: ReadonlyMap<FieldName, FieldLayout>
  /** Cells up to the last heading that is not empty. */
  readonly width: number
  /** Cells of the heading, empty ones included. */
  readonly cellCount: number
  /** Whether each row has all the cells of the heading: in CSV files, not in workbooks. */
  readonly hasFullRows: boolean
}

/** Finds the fields in a file's first row; columns that the mapping does not name are skipped. Throws an `ApiError`. */
export function readHeading({ row, cells }: FileRow, mapping: Mapping): Layout {
  const headings = cells.map(cell => canonical(textOf(cell)))
  const indexesOf = (heading: string) => headings.flatMap((each, index) => (each === canonical(heading) ? [index] : []))
  const errors: FieldError[] = []
  const fields = new Map<FieldName, FieldLayout>()
  for (const name of fieldNames) {
    const column = mapping.columns[name]
    if (!column) continue
    const indexes = findColumnIndexes(column, headings)
    if (indexes.isRepeated)
      errors.push(
        fieldError(
          `row ${row}`,
          'InvalidDataItem',
          `The file has more than one column ${column.headings.join(' or ')}`,
        ),
      )
    if (name === 'name' && indexes.all.length === 0)
      errors.push(fieldError('csvFile', 'Required', `Missing column ${column.headings.join(' or ')}`))
    if (indexes.all.length === 0) continue
    const unitIndexes = column.unitFrom === undefined ? [] : indexesOf(column.unitFrom)
    if (column.unitFrom !== undefined && unitIndexes.length !== 1)
      errors.push(
        fieldError('csvFile', 'Required', `The file must have one column ${column.unitFrom} with the unit of ${name}`),
      )
    fields.set(name, {
      column: importColumn(column, mapping),
      indexes: indexes.all,
      ...(unitIndexes[0] !== undefined && { unitIndex: unitIndexes[0] }),
    })
  }
  if (errors.length > 0) throw validationError(errors)
  const width = headings.findLastIndex(heading => heading !== '') + 1
  return { fields, width, cellCount: cells.length, hasFullRows: mapping.format === 'csv' }
}

function findColumnIndexes(column: MappedColumn, headings: readonly string[]) {
  const names = new Set(column.headings.map(canonical))
  const all = headings.flatMap((heading, index) => (names.has(heading) ? [index] : []))
  const isRepeated = new Set(all.map(index => headings[index])).size < all.length
  return { all, isRepeated }
}

function importColumn(mapped: MappedColumn, { format, decimal, thousands }: Mapping): ImportColumn {
  const { headings: _, ...column } = mapped
  return {
    ...column,
    ...(decimal !== undefined && { decimal }),
    ...(thousands !== undefined && { thousands }),
    hasSerialDates: format === 'xlsx',
  }
}

function canonical(heading: string): string {
  return heading
    .normalize('NFKC')
    .replace(/[\s_\-\uFEFF]/g, '')
    .toLowerCase()
}

/** Columns from which on a workbook's row with one filled cell is a footer or a note, and not a job. */
const minColumnsOfTable = 3

/** The reason why a row is not a row of the table under the heading, such as a footer; null if it is one. */
export function findRowError({ row, cells }: FileRow, { width, cellCount, hasFullRows }: Layout): string | null {
  if (!hasFullRows) {
    const isNote = width >= minColumnsOfTable && cells.filter(cell => !isBlank(cell)).length === 1
    return isNote ? `Row ${row} has one filled cell and is not a job: remove notes and footers` : null
  }
  if (cells.length < width)
    return `Row ${row} has fewer cells (${cells.length}) than the heading (${width}): remove notes and footers`
  if (cells.slice(cellCount).every(isBlank)) return null
  return `Row ${row} has more cells than the heading (${cellCount}): quote cells that have the separator in them`
}
