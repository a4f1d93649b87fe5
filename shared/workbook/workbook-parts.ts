import { type CellFormat, cellFormats } from './sheet-xml.ts'

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Path of a sheet in the ZIP archive of a workbook; the first one is 1. */
export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`
}

/** The parts of a workbook besides its sheets, by their path in the ZIP archive. `sheetNames`: at most 31 letters, digits and spaces each. */
export function workbookParts(sheetNames: readonly string[]): Readonly<Record<string, string>> {
  const sheets = sheetNames.map((name, i) => ({ name, number: i + 1 }))
  return {
    '[Content_Types].xml': `${xml}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${sheets
      .map(({ number }) => `<Override PartName="/${sheetPath(number)}" ContentType="${types}.worksheet+xml"/>`)
      .join('')}</Types>`,
    '_rels/.rels': relationships([{ id: 'workbook', type: 'officeDocument', target: 'xl/workbook.xml' }]),
    'xl/_rels/workbook.xml.rels': relationships([
      { id: 'styles', type: 'styles', target: 'styles.xml' },
      ...sheets.map(({ number }) => ({
        id: `sheet${number}`,
        type: 'worksheet',
        target: sheetPath(number).slice('xl/'.length),
      })),
    ]),
    'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets
      .map(({ name, number }) => `<sheet name="${name}" sheetId="${number}" r:id="sheet${number}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/styles.xml': stylesXml(),
  }
}

function relationships(
  targets: readonly { readonly id: string; readonly type: string; readonly target: string }[],
): string {
  const each = targets.map(
    ({ id, type, target }) => `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`,
  )
  return `${xml}<Relationships xmlns="${packages}/relationships">${each.join('')}</Relationships>`
}

/** Ids of number formats: below 164 they are those of all spreadsheets. A text that is edited stays a text. */
const numberFormats: Readonly<Record<CellFormat, number>> = {
  text: 49,
  number: 0,
  integer: 1,
  decimals: 2,
  percent: 164,
  date: 165,
  dateTime: 166,
}

function stylesXml(): string {
  const formats = cellFormats.map(
    format =>
      `<xf numFmtId="${numberFormats[format]}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  )
  return `${xml}<styleSheet xmlns="${main}"><numFmts count="3"><numFmt numFmtId="164" formatCode="0.0%"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${formats.length + 2}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>${formats.join('')}</cellXfs></styleSheet>`
}
