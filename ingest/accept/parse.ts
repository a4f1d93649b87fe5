import { invalidJson } from '../../schema/errors.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { openJson, openScanned, type ChunkOptions, scanJson } from '../../shared/json/large-json.ts'
import { decodeUtf8 } from '../../shared/json/utf8.ts'
import type { SentSample } from '../decode/validate.ts'
import { flatten, flattenLarge } from '../decode/json.ts'

const ndjsonTypes = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
])

/** Samples of a body in chunks, in order. */
export type Samples = AsyncIterable<readonly SentSample[]>

export interface BodyRules {
  readonly bounds: JsonBounds
  readonly chunks: ChunkOptions
}

/**
 * Calls `use` with the samples of a body: a JSON object, a JSON array or JSON lines, of samples or batches. The content
 * type only decides what is tried first, because senders often name a wrong one; if it was wrong, `use` is called again
 * from the start. An incomplete last line becomes `cutLine`. Throws a 400 for a body of another form, and a
 * `JsonOutOfBounds`.
 */
export async function readBody<T>(
  body: Buffer,
  contentType: string | undefined,
  { bounds, chunks }: BodyRules,
  use: (samples: Samples) => Promise<T>,
): Promise<T> {
  // The counts of the scan are also right for NDJSON: a line that is not JSON changes them, but reading ends at that line.
  const scanned = await scanJson(body, bounds, chunks)
  const whole = () => flattenLarge(openScanned(body, scanned, chunks))
  const lines = () => linesOf(body, bounds, chunks)
  const named = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  for (const read of ndjsonTypes.has(named) ? [lines, whole] : [whole, lines]) {
    try {
      return await use(read())
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  throw invalidJson(body)
}

/** Replaces an incomplete last line: the sender's connection or its source broke off. */
export const cutLine: unique symbol = Symbol('cut line')

/** Throws a `SyntaxError` if one of the lines is not JSON, or no line is complete. */
async function* linesOf(body: Buffer, bounds: JsonBounds, chunks: ChunkOptions): Samples {
  let count = 0
  let some: SentSample[] = []
  let bytes = 0
  let isCut = false
  for (const line of splitLines(body)) {
    isCut = endsWith(body, line) && !(await scanJson(line, bounds, chunks)).isBalanced
    if (isCut) break
    if (line.length > chunks.bytes) {
      yield some
      some = []
      for await (const samples of flattenLarge(await openJson(line, bounds, chunks))) {
        count += samples.length
        yield samples
      }
    } else {
      const samples = flatten(JSON.parse(decodeUtf8(line)))
      count += samples.length
      for (const sample of samples) some.push(sample)
    }
    bytes += line.length
    if (bytes <= chunks.bytes) continue
    yield some
    some = []
    bytes = 0
  }
  if (count === 0) throw new SyntaxError('there is no sample')
  if (isCut) some.push({ raw: cutLine, machineId: undefined })
  yield some
}

/** Whether no line end follows this line in the body. */
function endsWith(body: Buffer, line: Buffer): boolean {
  return line.byteOffset + line.length === body.byteOffset + body.length
}

/** Yields lines with more than white space. */
function* splitLines(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length;) {
    const found = body.indexOf(newline, start)
    const end = found < 0 ? body.length : found
    const line = body.subarray(start, end)
    if (line.some(byte => byte > space)) yield line
    start = end + 1
  }
}

const newline = 0x0a
const space = 0x20
