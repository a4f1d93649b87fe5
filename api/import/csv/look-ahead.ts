import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { createDecoder, type Encoding } from './decode.ts'
import { unreadable, otherKind } from '../rows/file-row.ts'

/** How a CSV file is written. */
export interface CsvForm {
  readonly encoding: Encoding
  readonly delimiter: string
}

const chunkBytes = 65_536

/**
 * Finds how a CSV file is written: in UTF-8 if all of it is, in Windows-1252 if no character of it is UTF-8 beyond ASCII;
 * with the separator that its first row has most of, or that Excel's line `sep=;` names. Throws an `ApiError` for a file
 * that mixes UTF-8 with other bytes.
 */
export async function lookAhead(path: string): Promise<CsvForm> {
  let start: Buffer | null = null
  const census = createCensus()
  const file: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: chunkBytes })
  for await (const chunk of file) {
    if (start === null) rejectOtherKinds(chunk)
    start ??= chunk
    if (chunk.includes(0)) throw unreadable('The file is binary, not text')
    census.add(chunk)
  }
  return formOf(census.encoding(), start ?? Buffer.alloc(0))
}

/** Counts lines up to the first byte that is not UTF-8, and finds characters that are UTF-8 beyond ASCII. */
function createCensus() {
  const strict = createDecoder('utf-8')
  const tolerant = new TextDecoder('utf-8', { ignoreBOM: true })
  let isUtf8 = true
  let hasUtf8 = false
  let line = 1
  return {
    add(chunk: Buffer): void {
      const text = tolerant.decode(chunk, { stream: true })
      hasUtf8 ||= /[^\0-\x7f\ufffd]/.test(text)
      if (!isUtf8) return
      isUtf8 = succeeds(() => strict(chunk))
      line += countLineFeeds(isUtf8 ? text : text.slice(0, Math.max(0, text.indexOf('\ufffd'))))
    },
    encoding(): Encoding {
      if (isUtf8 && !succeeds(strict)) throw unreadable('The file ends within a character of UTF-8')
      if (isUtf8) return 'utf-8'
      if (!hasUtf8) return 'windows-1252'
      throw unreadable(`The file is UTF-8 with bytes that are not UTF-8, first in line ${line}: save it again as UTF-8`)
    },
  }
}

function countLineFeeds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
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

/** Pure: the separator of a text that begins as a CSV file does; a comma by default. */
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

function firstRowOf(text: string): string {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && (char === '\n' || char === '\r')) return text.slice(0, at)
  }
  return text
}

/** Start of a ZIP file, a workbook for example. */
export const zipStart = Buffer.from([0x50, 0x4b, 0x03, 0x04])

/** Throws an `ApiError` if a file that begins with these bytes is another kind of file than text in bytes. */
function rejectOtherKinds(start: Uint8Array): void {
  if (zipStart.equals(start.subarray(0, 4))) throw otherKind('The file is an XLSX or ZIP file, not CSV')
  const [first, second] = start
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw unreadable('The file is UTF-16; it must be UTF-8 or Windows-1252')
}
