import { ApiError } from '../../schema/errors.ts'
import { flatten, type Flat } from '../decode/record.ts'

const ndjsonTypes = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
])

/**
 * The samples of a body: a JSON object, a JSON array or a JSON value a line, of samples or batches. Senders often name the wrong
 * content type, so it only says what to try first. Throws the 400 of a body that is neither.
 */
export function parseBody(body: Buffer, contentType: string | undefined): readonly Flat[] {
  const text = body.toString().replace(/^\uFEFF/, '')
  const named = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const readings = ndjsonTypes.has(named) ? [parseLines, parseWhole] : [parseWhole, parseLines]
  for (const read of readings) {
    const samples = read(text)
    if (samples !== null) return samples
  }
  throw new ApiError(400, 'InvalidJson', 'Problem parsing JSON')
}

/** null: it is no JSON. */
function parseWhole(text: string): readonly Flat[] | null {
  try {
    return flatten(JSON.parse(text))
  } catch {
    return null
  }
}

/** null: one of the lines is no JSON, or there is none. */
function parseLines(text: string): readonly Flat[] | null {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const samples = lines.map(parseWhole)
  return samples.length === 0 || samples.includes(null) ? null : samples.flatMap(line => line ?? [])
}
