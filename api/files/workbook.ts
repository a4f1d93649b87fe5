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
import { type FileReader, localTimes, shownNumbers, titleWithUnit } from './shown-values.ts'
import { readRows } from './stored-rows.ts'
import { titleOf } from './titles.ts'
import type { ColumnKind, FileColumn } from './table.ts'

interface WorkbookOptions {
  /** The stored rows, as CSV with unchanged texts. */
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
  readonly #rows: AsyncIterator<readonly string[]>
  /** null: all rows are read. */
  next: readonly string[] | null = null

  constructor(rows: AsyncIterable<readonly string[]>) {
    this.#rows = rows[Symbol.asyncIterator]()
  }

  async advance(): Promise<void> {
    const { done, value } = await this.#rows.next()
    this.next = done === true ? null : value
  }
}

async function addSheets(zip: ZipFile, options: WorkbookOptions, signal: AbortSignal): Promise<void> {
  const { path, columns, reader, sheetName, maxRows = maxSheetRows } = options
  const cells = columns.map(({ kind }) => cellOf(kind, reader.timeZone))
  const source = readRows(path)
  signal.addEventListener('abort', () => source.destroy(), { once: true })
  const rows = new PendingRows(source)
  await rows.advance() // the header
  await rows.advance()
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
  } while (rows.next !== null)
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
  const titles = columns.map(column =>
    column.kind === 'ratio' ? titleOf(column, language) : titleWithUnit(column, language),
  )
  let xml = sheetStart(formats) + headingRow(titles)
  for (let number = 2; number <= maxRows && rows.next !== null; number++) {
    xml += toXml(
      number,
      rows.next.map((text, i) => cells[i]?.(text) ?? null),
    )
    await rows.advance()
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

type CellOf = (text: string) => CellValue

/** Digits of a number that a spreadsheet keeps. */
const maxDigits = 15

/** The value of a stored text: a number in the unit for people, in full precision; otherwise the text. */
function cellOf(kind: ColumnKind, timeZone: string): CellOf {
  const convert = valueOf(kind, timeZone)
  return text => (text === '' ? null : (convert(text) ?? text))
}

function valueOf(kind: ColumnKind, timeZone: string): (text: string) => number | null {
  if (kind === 'text') return () => null
  if (kind === 'date') return text => finite(Date.parse(text.slice(0, 10)), serialDays)
  if (kind === 'instant') {
    const localMs = localTimes(timeZone)
    return text => finite(localMs(text), serialDays)
  }
  if (kind === 'integer') return text => (text.length > maxDigits ? null : finite(Number(text)))
  return text => finite(Number(text), kind === 'ratio' ? undefined : shownNumbers[kind]?.convert)
}

function finite(value: number, convert: (value: number) => number | null = same => same): number | null {
  return Number.isFinite(value) ? convert(value) : null
}
