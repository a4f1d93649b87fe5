import { createReadStream } from 'node:fs'
import type { FileTableRow } from './table.ts'

const chunkBytes = 262_144

/** Reads the stored rows of a workbook, some hundred together. Ends with an `AbortError` at the signal. */
export async function* readRowBatches(path: string, signal: AbortSignal): AsyncGenerator<readonly FileTableRow[]> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: chunkBytes, signal })) {
    const text = rest + String(chunk)
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    if (end === -1) continue
    // JSON escapes line breaks within texts.
    const rows: FileTableRow[] = JSON.parse(`[${text.slice(0, end).replaceAll('\n', ',')}]`)
    yield rows
  }
}
