import { type CellObject, type DenseWorkSheet, type ParsingOptions, read, type WorkBook } from 'xlsx'
import { cleanZip, isStructure, RefusedFile } from './clean-zip.ts'
import type { WorkbookTraits } from './sheet-cell.ts'

/** The cells of a sheet by row and column; empty rows and cells are missing. */
export interface Sheet {
  readonly cells: readonly (readonly (CellObject | undefined)[] | undefined)[]
  readonly traits: WorkbookTraits
}

/** Reads the named sheet of a workbook (an empty name: the first visible one) up to a number of rows. Throws a `RefusedFile`. */
export function readSheet(file: Uint8Array, sheetName: string, rows: number): Sheet {
  const zip = cleanZip(file)
  const structure = parse(cleanZip(file, isStructure), { sheets: [] })
  const indices = sheetName === '' ? visibleSheets(structure) : [structure.SheetNames.indexOf(sheetName)]
  const traits = traitsOf(structure)
  for (const index of indices) {
    const cells = parseCells(zip, index, rows)
    if (cells !== null) return { cells, traits }
  }
  const message = sheetName === '' ? 'The workbook has no visible sheet' : `The workbook has no sheet '${sheetName}'`
  throw new RefusedFile(400, message)
}

function traitsOf({ Workbook }: WorkBook): WorkbookTraits {
  return { is1904: Workbook?.WBProps?.date1904 === true, isUncalculated: mustCalculate(Workbook ?? {}) }
}

/** Whether the program that opens a workbook must calculate it. The library's types lack the property. */
function mustCalculate(workbook: object): boolean {
  const properties: unknown = 'CalcPr' in workbook ? workbook.CalcPr : null
  if (typeof properties !== 'object' || properties === null || !('fullCalcOnLoad' in properties)) return false
  return properties.fullCalcOnLoad === '1' || properties.fullCalcOnLoad === 'true'
}

function visibleSheets({ SheetNames, Workbook }: WorkBook): readonly number[] {
  return SheetNames.flatMap((_, index) => ((Workbook?.Sheets?.[index]?.Hidden ?? 0) === 0 ? [index] : []))
}

/** The cells of a sheet; null if the workbook has no such sheet, or the sheet is a chart or a dialog. */
function parseCells(zip: Uint8Array, index: number, rows: number): Sheet['cells'] | null {
  if (index < 0) return null
  const { Sheets, SheetNames } = parse(zip, {
    dense: true,
    cellNF: true,
    // Formulas and cells without a value are kept, because a formula without a result is not an empty cell.
    cellFormula: true,
    sheetStubs: true,
    sheetRows: rows,
    sheets: index,
  })
  const sheet = Sheets[SheetNames[index] ?? '']
  if (!sheet || (sheet['!type'] ?? 'sheet') !== 'sheet') return null
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the option `dense` gives this shape
  return (sheet as DenseWorkSheet)['!data'] ?? []
}

function parse(zip: Uint8Array, options: ParsingOptions): WorkBook {
  try {
    return read(zip, { type: 'array', cellFormula: false, cellHTML: false, cellText: false, ...options })
  } catch (error) {
    throw new RefusedFile(400, 'Cannot read the workbook', error)
  }
}
