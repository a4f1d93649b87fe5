import { createReadStream } from 'node:fs'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { format, parse } from 'fast-csv'
import type { Language } from '../../schema/languages.ts'
import { displayNumbers, type FileReader, localTimes, titleWithUnit } from './display-values.ts'
import { nameTranslator, type TranslateName } from './group-names.ts'
import type { ColumnKind, FileColumn } from './table.ts'

/** The separator of cells and the decimal mark that spreadsheets of a language expect. */
const forms: Readonly<Record<Language, { readonly delimiter: string; readonly decimalMark: string }>> = {
  en: { delimiter: ',', decimalMark: '.' },
  de: { delimiter: ';', decimalMark: ',' },
}

/** Reads a stored file in localized form. The byte order mark prevents Excel from reading Windows-1252. */
export function readLocalized(path: string, columns: readonly FileColumn[], reader: FileReader): Readable {
  const cells = columns.map(({ kind }) => localCell(kind, reader))
  const titles = columns.map(column => titleWithUnit(column, reader.language))
  const nameOf = nameTranslator(columns, reader.language)
  const localized = csvFormat(forms[reader.language].delimiter)
  pipeline(
    createReadStream(path),
    parse<string[], string[]>({ headers: false }),
    rows => localize(rows, { titles, cells, nameOf }),
    localized,
    () => {
      // An error has destroyed the result with it.
    },
  )
  return localized
}

interface Localization {
  readonly titles: readonly string[]
  readonly cells: readonly CellText[]
  readonly nameOf: TranslateName
}

async function* localize(
  rows: AsyncIterable<readonly string[]>,
  { titles, cells, nameOf }: Localization,
): AsyncGenerator<readonly string[]> {
  let isHeader = true
  for await (const row of rows) {
    yield isHeader ? titles : row.map((text, i) => nameOf(row, i) ?? cells[i]?.(text) ?? text)
    isHeader = false
  }
}

function csvFormat(delimiter: string): Transform {
  return format<readonly string[], readonly string[]>({
    delimiter,
    headers: false,
    writeBOM: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
}

/** Converts the plain text of a cell to its localized form; an empty cell stays empty. */
type CellText = (text: string) => string

/** Instants in the time zone, dates as dates, numbers with their decimals and the decimal mark of the language. */
function localCell(kind: ColumnKind, reader: FileReader): CellText {
  const convert = converterOf(kind, reader)
  return text => (text === '' ? '' : convert(text))
}

function converterOf(kind: ColumnKind, { timeZone, language }: FileReader): CellText {
  if (kind === 'instant') {
    const localMs = localTimes(timeZone)
    return text => new Date(localMs(text)).toISOString().slice(0, 19).replace('T', ' ')
  }
  if (kind === 'date') return text => text.slice(0, 10)
  if (kind === 'text') return text => text
  const number = displayNumbers[kind]
  const { decimalMark } = forms[language]
  const withDecimalMark = (text: string) => (Number.isFinite(Number(text)) ? text.replace('.', decimalMark) : text)
  return number ? text => withDecimalMark(number.convert(Number(text)).toFixed(number.decimals)) : withDecimalMark
}
