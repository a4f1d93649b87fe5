import { ApiError } from '../../schema/errors.ts'
import { type JsonBounds, JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { checkJson } from '../../shared/json/check-json.ts'
import { flatten, type Flat } from '../decode/record.ts'

const ndjsonTypes = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
])

/**
 * The samples of a body: a JSON object, a JSON array or a JSON value a line, of samples or batches. Senders often name the wrong
 * content type, so it only says what to try first. `bounds.elements` bounds lines and samples, too. Throws the 400 of a body that
 * is neither, and a `JsonOutOfBounds`.
 */
export function parseBody(body: Buffer, contentType: string | undefined, bounds: JsonBounds): readonly Flat[] {
  // Of lines this counts what a parser reads: it loses its place only in a line that is no JSON, and none is read after that.
  checkJson(body, bounds)
  const named = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const readings = ndjsonTypes.has(named) ? [parseLines, parseWhole] : [parseWhole, parseLines]
  for (const read of readings) {
    const samples = read(body, bounds)
    if (samples !== null) return samples
  }
  throw new ApiError(400, 'InvalidJson', 'Problem parsing JSON')
}

/** null: it is no JSON. */
function parseWhole(body: Buffer, { elements }: JsonBounds): readonly Flat[] | null {
  try {
    const samples = flatten(JSON.parse(textOf(body)))
    if (samples.length > elements) throw new JsonOutOfBounds('elements', elements)
    return samples
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** null: one of the lines is no JSON, or there is none. */
function parseLines(body: Buffer, bounds: JsonBounds): readonly Flat[] | null {
  const all: Flat[] = []
  for (const line of linesOf(body)) {
    const samples = parseWhole(line, bounds)
    if (samples === null) return null
    for (const sample of samples) all.push(sample)
    if (all.length > bounds.elements) throw new JsonOutOfBounds('elements', bounds.elements)
  }
  return all.length === 0 ? null : all
}

/** Lines that hold more than white space. */
function* linesOf(body: Buffer): Generator<Buffer> {
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

function textOf(bytes: Buffer): string {
  return decoder.decode(bytes)
}

const decoder = new TextDecoder()
