import { finished } from 'node:stream/promises'
import { PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { Language } from '../../schema/languages.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import {
  type CellFormat,
  type CellValue,
  headingRow,
  maxSheetRows,
  rowWriter,
  serialDays,
  sheetEnd,
  sheetStart,
} from '../../shared/workbook/sheet-xml.ts'
import { sheetPath, workbookParts } from '../../shared/workbook/workbook-parts.ts'
import { displayNumbers, type FileReader, localTimes, titleWithUnit } from './display-values.ts'
import { nameTranslator } from './group-names.ts'
import { readRowBatches } from './stored-rows.ts'
import { titleOf } from './titles.ts'
import type { Cell, ColumnKind, FileColumn, FileTableRow } from './table.ts'

interface WorkbookOptions {
  /** The stored rows. */
  readonly path: string
  readonly columns: readonly FileColumn[]
  readonly reader: FileReader
  /** Name of the sheet, without the number of a further one: letters, digits and hyphens. */
  readonly sheetName: string
  /** Rows of a sheet, with its heading; further rows are in further sheets. */
  readonly maxRows?: number
}

/** Speed over size: the caller waits for the compression. */
const compressionLevel = 1

/** Reads a stored file as a workbook (XLSX), row by row, at the speed of the reader. */
export function readWorkbook(options: WorkbookOptions): Readable {
  const zip = new ZipFile()
  const output = new PassThrough()
  const ended = new AbortController()
  zip.outputStream.pipe(output)
  output.once('close', () => ended.abort())
  // `catch` handles every error.
  crashOnRejection(addSheets(zip, options, ended.signal).catch((error: Error) => void output.destroy(error)))
  return output
}

/** The rows of a stored file, of which the next one is visible. */
class PendingRows {
  readonly #batches: AsyncIterator<readonly FileTableRow[]>
  #batch: readonly FileTableRow[] = []
  #at = 0

  constructor(batches: AsyncIterable<readonly FileTableRow[]>) {
    this.#batches = batches[Symbol.asyncIterator]()
  }

  /** Whether there is a next row; reads a batch if necessary. */
  async hasNext(): Promise<boolean> {
    while (!this.isRead()) {
      const { done, value } = await this.#batches.next()
      if (done === true) return false
      this.#batch = value
      this.#at = 0
    }
    return true
  }

  /** Whether the next row is in memory. */
  isRead(): boolean {
    return this.#at < this.#batch.length
  }

  /** The next row, which must be in memory. */
  next(): FileTableRow {
    return this.#batch[this.#at++] ?? []
  }
}

async function addSheets(zip: ZipFile, options: WorkbookOptions, signal: AbortSignal): Promise<void> {
  const { path, columns, reader, sheetName, maxRows = maxSheetRows } = options
  const cells = columns.map(({ kind }) => cellOf(kind, reader.timeZone))
  const rows = new PendingRows(readRowBatches(path, signal))
  const names: string[] = []
  do {
    const number = names.length + 1
    names.push(number === 1 ? sheetName : `${sheetName} ${number}`)
    const sheet = Readable.from(sheetChunks(rows, { columns, cells, maxRows, language: reader.language }), {
      objectMode: false,
      signal,
    })
    zip.addReadStream(sheet, sheetPath(number), { compressionLevel })
    await finished(sheet)
  } while (await rows.hasNext())
  for (const [name, xml] of Object.entries(workbookParts(names))) zip.addBuffer(Buffer.from(xml), name)
  zip.end()
}

const chunkLength = 65_536

interface Sheet {
  readonly columns: readonly FileColumn[]
  readonly cells: readonly CellOf[]
  readonly maxRows: number
  readonly language: Language
}

async function* sheetChunks(rows: PendingRows, { columns, cells, maxRows, language }: Sheet): AsyncGenerator<string> {
  const formats = columns.map(({ kind }) => cellFormats[kind])
  const toXml = rowWriter(formats)
  const nameOf = nameTranslator(columns, language)
  const titles = columns.map(column =>
    column.kind === 'ratio' ? titleOf(column, language) : titleWithUnit(column, language),
  )
  let xml = sheetStart(formats) + headingRow(titles)
  for (let number = 2; number <= maxRows && (rows.isRead() || (await rows.hasNext())); number++) {
    const row = rows.next()
    xml += toXml(
      number,
      cells.map((toValue, i) => nameOf(row, i) ?? toValue(row[i] ?? null)),
    )
    if (xml.length < chunkLength) continue
    yield xml
    xml = ''
  }
  yield xml + sheetEnd
}

const cellFormats: Readonly<Record<ColumnKind, CellFormat>> = {
  text: 'text',
  number: 'number',
  integer: 'integer',
  ms: 'decimals',
  msPerPart: 'decimals',
  rate: 'decimals',
  ratio: 'percent',
  date: 'date',
  instant: 'dateTime',
}

type CellOf = (cell: Cell) => CellValue

/** Digits of a number that a spreadsheet keeps. */
const maxDigits = 15

/** The value of a stored cell: a number in the unit for people, in full precision; otherwise the text. */
function cellOf(kind: ColumnKind, timeZone: string): CellOf {
  const convert = valueOf(kind, timeZone)
  return cell => (cell === null || cell === '' ? null : (convert(cell) ?? String(cell)))
}

function valueOf(kind: ColumnKind, timeZone: string): (cell: string | number) => number | null {
  if (kind === 'text') return () => null
  if (kind === 'date') return cell => finite(Date.parse(String(cell).slice(0, 10)), serialDays)
  if (kind === 'instant') {
    const localMs = localTimes(timeZone)
    return cell => finite(localMs(String(cell)), serialDays)
  }
  if (kind === 'integer') return cell => (String(cell).length > maxDigits ? null : finite(Number(cell)))
  return cell => finite(Number(cell), kind === 'ratio' ? undefined : displayNumbers[kind]?.convert)
}

function finite(value: number, convert: (value: number) => number | null = same => same): number | null {
  return Number.isFinite(value) ? convert(value) : null
}
