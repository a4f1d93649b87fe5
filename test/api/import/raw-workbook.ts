import { strToU8, zipSync } from 'fflate'

export interface RawSheet {
  readonly name: string
  readonly state?: 'hidden' | 'veryHidden'
  /** Rows of cells, each cell as XML of `number`, `text` and the other functions of this file; '' leaves a cell out. */
  readonly rows: readonly (readonly string[])[]
}

export interface RawWorkbook {
  readonly sheets: readonly RawSheet[]
  readonly date1904?: boolean
  /** Whether the formulas are to be calculated when the workbook is opened. */
  readonly fullCalcOnLoad?: boolean
  /** Number formats; a cell's style is the index of its format here, plus one. */
  readonly formats?: readonly string[]
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'

/** A workbook of XML parts, as spreadsheets write them: details that a library would normalize are unchanged. */
export function rawWorkbook({
  sheets,
  date1904 = false,
  fullCalcOnLoad = false,
  formats = [],
}: RawWorkbook): Uint8Array {
  const numbered = sheets.map((sheet, index) => ({ ...sheet, id: index + 1 }))
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>${numbered.map(({ id }) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets>${numbered.map(({ name, state, id }) => `<sheet name="${escaped(name)}" sheetId="${id}"${state ? ` state="${state}"` : ''} r:id="rId${id}"/>`).join('')}</sheets>${fullCalcOnLoad ? '<calcPr calcId="124519" fullCalcOnLoad="1"/>' : ''}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">${numbered.map(({ id }) => `<Relationship Id="rId${id}" Type="${relations}/worksheet" Target="worksheets/sheet${id}.xml"/>`).join('')}<Relationship Id="rId${sheets.length + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="${formats.length}">${formats.map((format, index) => `<numFmt numFmtId="${index + 200}" formatCode="${escaped(format)}"/>`).join('')}</numFmts><cellXfs count="${formats.length + 1}"><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${index + 200}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
  }
  for (const { id, rows } of numbered)
    parts[`xl/worksheets/sheet${id}.xml`] =
      `<?xml version="1.0"?><worksheet xmlns="${main}"><sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])))
}

function rowXml(cells: readonly string[], row: number): string {
  const placed = cells.map((cell, column) => cell.replace('<c', `<c r="${columnName(column)}${row + 1}"`))
  return `<row r="${row + 1}">${placed.join('')}</row>`
}

function columnName(column: number): string {
  const before = column < 26 ? '' : columnName(Math.floor(column / 26) - 1)
  return before + String.fromCharCode(65 + (column % 26))
}

/** A number, in the format at an index of the workbook's formats. */
export function number(value: number | string, format?: number): string {
  return `<c${format === undefined ? '' : ` s="${format + 1}"`}><v>${value}</v></c>`
}

export function text(value: string): string {
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`
}

export const errorValue = '<c t="e"><v>#N/A</v></c>'

/** A formula, without a stored result unless one is given. */
export function formula(source: string, result = ''): string {
  return `<c><f>${escaped(source)}</f><v>${result}</v></c>`
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
