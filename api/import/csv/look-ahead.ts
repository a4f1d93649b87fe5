import { createReadStream } from 'node:fs'
import { createDecoder, type Encoding } from './decode.ts'
import { unreadable } from '../rows/file-row.ts'

/** How a CSV file is written. */
export interface CsvForm {
  readonly encoding: Encoding
  readonly delimiter: string
}

const chunkBytes = 65_536

/**
 * Finds out how a CSV file is written: in UTF-8 where all of it is that, else in Windows-1252; with the separator that its first row
 * has most of, or that Excel's line `sep=;` names. Throws an `ApiError` where the file ends within a character of UTF-8.
 */
export async function lookAhead(path: string): Promise<CsvForm> {
  let start: Buffer = Buffer.alloc(0)
  let isFirst = true
  const decode = createDecoder('utf-8')
  const file: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: chunkBytes })
  for await (const chunk of file) {
    if (isFirst) start = chunk
    isFirst = false
    if (!succeeds(() => decode(chunk))) return formOf('windows-1252', start)
  }
  if (!succeeds(() => decode())) throw unreadable('The file ends within a character of UTF-8')
  return formOf('utf-8', start)
}

function formOf(encoding: Encoding, start: Buffer): CsvForm {
  // Separators, quotes and ends of lines are the same bytes in both.
  return { encoding, delimiter: delimiterOf(start.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')) }
}

function succeeds(decode: () => string): boolean {
  try {
    decode()
    return true
  } catch {
    return false
  }
}

const delimiters = [',', ';', '\t'] as const
const separatorLine = /^"?sep=([,;\t|])"?$/i

/** Pure: the separator of a text that begins as a CSV file does; a comma where there is none. */
function delimiterOf(text: string): string {
  const firstRow = firstRowOf(text)
  const named = separatorLine.exec(firstRow.trimEnd())?.[1] ?? separatorLine.exec(firstRow)?.[1]
  if (named !== undefined) return named
  const counts = new Map<string, number>(delimiters.map(each => [each, 0]))
  let isQuoted = false
  for (const char of firstRow) {
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && counts.has(char)) counts.set(char, (counts.get(char) ?? 0) + 1)
  }
  return delimiters.reduce<string>(
    (most, each) => ((counts.get(each) ?? 0) > (counts.get(most) ?? 0) ? each : most),
    ',',
  )
}

/** Whether a row is Excel's line that names the separator. */
export function isSeparatorRow(cells: readonly string[]): boolean {
  return cells[0] !== undefined && /^sep=[,;|]?$/i.test(cells[0]) && cells.slice(1).every(cell => cell === '')
}

/** Up to the first end of line outside quotes. */
function firstRowOf(text: string): string {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && (char === '\n' || char === '\r')) return text.slice(0, at)
  }
  return text
}
