import { pipeline, type Readable, type Transform } from 'node:stream'
import { format } from 'fast-csv'
import { localTimes, shownNumbers, titleWithUnit } from './shown-values.ts'
import { readRows } from './stored-rows.ts'
import type { ColumnKind, FileColumn } from './table.ts'

/** Reads a stored file in localized form. The byte order mark prevents Excel from reading Windows-1252. */
export function readLocalized(path: string, columns: readonly FileColumn[], timeZone: string): Readable {
  const cells = columns.map(({ kind }) => localCell(kind, timeZone))
  const localized = csvFormat()
  pipeline(
    readRows(path),
    rows => localize(rows, columns, cells),
    localized,
    () => {
      // An error has destroyed the result with it.
    },
  )
  return localized
}

async function* localize(
  rows: AsyncIterable<readonly string[]>,
  columns: readonly FileColumn[],
  cells: readonly CellText[],
): AsyncGenerator<readonly string[]> {
  let isHeader = true
  for await (const row of rows) {
    yield isHeader ? columns.map(titleWithUnit) : row.map((text, i) => cells[i]?.(text) ?? text)
    isHeader = false
  }
}

function csvFormat(): Transform {
  return format<readonly string[], readonly string[]>({
    headers: false,
    writeBOM: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
}

/** Converts the plain text of a cell to its localized form; an empty cell stays empty. */
type CellText = (text: string) => string

/** Instants in the time zone, dates as dates, numbers with their decimals. */
function localCell(kind: ColumnKind, timeZone: string): CellText {
  const convert = converterOf(kind, timeZone)
  return text => (text === '' ? '' : convert(text))
}

function converterOf(kind: ColumnKind, timeZone: string): CellText {
  if (kind === 'instant') {
    const localMs = localTimes(timeZone)
    return text => new Date(localMs(text)).toISOString().slice(0, 19).replace('T', ' ')
  }
  if (kind === 'date') return text => text.slice(0, 10)
  const shown = shownNumbers[kind]
  return shown ? text => shown.convert(Number(text)).toFixed(shown.decimals) : text => text
}
