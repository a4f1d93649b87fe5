import { strToU8, zipSync } from 'fflate'
import {
  type CellFormat,
  type CellValue,
  headingRow,
  rowWriter,
  sheetEnd,
  sheetStart,
} from '../../shared/workbook/sheet-xml.ts'
import { sheetPath, workbookParts } from '../../shared/workbook/workbook-parts.ts'

/** A table of a workbook. Loaded when a workbook is requested: it brings a library for ZIP. */
export interface Sheet {
  /** At most 31 letters, digits and spaces. */
  readonly name: string
  readonly formats: readonly CellFormat[]
  readonly titles: readonly string[]
  readonly rows: readonly (readonly CellValue[])[]
}

/** The bytes of a workbook (XLSX) with one sheet, of less than a million rows. */
export function workbookOf({ name, formats, titles, rows }: Sheet): Uint8Array<ArrayBuffer> {
  const toXml = rowWriter(formats)
  const xml = [sheetStart(formats), headingRow(titles), ...rows.map((cells, i) => toXml(i + 2, cells)), sheetEnd]
  const parts = { ...workbookParts([name]), [sheetPath(1)]: xml.join('') }
  const files = Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)]))
  return zipSync(files, { level: 1 })
}
