import { type Fault, fault, validationError } from '../../schema/errors.ts'
import { type FieldName, fieldNames } from './fields.ts'
import type { ImportColumn } from './cell.ts'
import type { Mapping } from './mappings.ts'
import type { FileRow } from './rows/file-row.ts'

/** Where each field that the file has stands in its rows: perhaps in several columns. */
export type Layout = ReadonlyMap<FieldName, { readonly column: ImportColumn; readonly places: readonly number[] }>

/** Finds the fields in a file's first row. Columns that the mapping does not name are passed over. Throws an `ApiError`. */
export function readHeading({ row, cells }: FileRow, { columns, format }: Mapping): Layout {
  const placesOf = new Map<string, number[]>()
  for (const [place, cell] of cells.entries()) {
    const heading = canonical(cell)
    placesOf.set(heading, [...(placesOf.get(heading) ?? []), place])
  }
  const faults: Fault[] = []
  const layout = new Map<FieldName, { column: ImportColumn; places: readonly number[] }>()
  for (const name of fieldNames) {
    const column = columns[name]
    if (!column) continue
    const headings = [...new Set(column.headings.map(canonical))]
    const places = headings.flatMap(heading => placesOf.get(heading) ?? [])
    if (headings.some(heading => (placesOf.get(heading)?.length ?? 0) > 1))
      faults.push(
        fault(`row ${row}`, 'InvalidDataItem', `The file has more than one column ${column.headings.join(' or ')}`),
      )
    if (places.length > 0) layout.set(name, { column: { ...column, hasSerialDates: format === 'xlsx' }, places })
    else if (name === 'name')
      faults.push(fault('csvFile', 'Required', `The file has no column ${column.headings.join(' or ')}`))
  }
  if (faults.length > 0) throw validationError(faults)
  return layout
}

function canonical(heading: string): string {
  return heading
    .normalize('NFKC')
    .replace(/[\s_\-\uFEFF]/g, '')
    .toLowerCase()
}
