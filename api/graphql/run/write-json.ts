import { TimeSlice } from '../../../shared/async/time-slice.ts'

/** Approximate length of a chunk, in UTF-16 units. */
export const chunkLength = 65_536

/**
 * Writes JSON as `JSON.stringify` does, in chunks of UTF-8, and yields to the event loop. `onChunk` receives each chunk
 * and may throw. Rejects when the signal aborts.
 */
export async function writeJson(
  value: unknown,
  onChunk: (chunk: Buffer) => void,
  { signal = null, chunkChars = chunkLength }: WriteOptions = {},
): Promise<void> {
  const slice = new TimeSlice(signal)
  const out: Output = { text: '' }
  for (const _ of steps(value, out)) {
    if (out.text.length >= chunkChars) flush(out, onChunk)
    if (slice.isOver) await slice.next()
  }
  flush(out, onChunk)
}

interface WriteOptions {
  readonly signal?: AbortSignal | null
  readonly chunkChars?: number
}

/** The text that is not passed to `onChunk` yet. */
interface Output {
  text: string
}

function flush(out: Output, onChunk: (chunk: Buffer) => void): void {
  if (out.text !== '') onChunk(Buffer.from(out.text))
  out.text = ''
}

/** Writes a value in cooperative steps. */
function* steps(value: unknown, out: Output): Generator<void, void> {
  if (!hasList(value)) out.text += JSON.stringify(value)
  else if (Array.isArray(value)) yield* listSteps(value, out)
  else yield* objectSteps(Object.entries(value), out)
}

/** Maximum number of small items that are written without a yield. */
const itemsPerStep = 20

function* listSteps(items: readonly unknown[], out: Output): Generator<void, void> {
  let before = '['
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    out.text += before
    if (hasList(item)) yield* steps(item, out)
    else out.text += JSON.stringify(item)
    // Yields after the first item too, so that nested short lists yield.
    if (i === 0 || i % itemsPerStep === itemsPerStep - 1) yield
    before = ','
  }
  out.text += items.length === 0 ? '[]' : ']'
}

function* objectSteps(entries: readonly (readonly [string, unknown])[], out: Output): Generator<void, void> {
  let before = '{'
  for (const [key, value] of entries) {
    if (value === undefined) continue
    out.text += `${before}${JSON.stringify(key)}:`
    if (hasList(value)) yield* steps(value, out)
    else out.text += JSON.stringify(value)
    before = ','
  }
  out.text += before === '{' ? '{}' : '}'
}

/** Whether the value is or contains an array, which may be long. */
function hasList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.values(value).some(hasList)
}
