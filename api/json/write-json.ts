import { TimeSlice } from '../../shared/async/time-slice.ts'
import { chunkBytes, JsonWriter } from './json-writer.ts'

/** A list that is serialized item by item for each response, because it may have hundreds of thousands of items. `Item`: the type of a parsed item. */
export class JsonList<Item = unknown> {
  /** Writes the items with commas in between. At each yield, the text so far may be sent. */
  readonly write: (into: JsonWriter) => Iterable<void>
  /** Never set: carries the type. */
  declare readonly item?: Item

  constructor(write: (into: JsonWriter) => Iterable<void>) {
    this.write = write
  }
}

/** An object that is serialized property by property, as a `JsonList` is item by item. `Whole`: the type of the parsed object. */
export class JsonHash<Whole = unknown> {
  readonly write: (into: JsonWriter) => Iterable<void>
  /** Never set: carries the type. */
  declare readonly whole?: Whole

  constructor(write: (into: JsonWriter) => Iterable<void>) {
    this.write = write
  }
}

/** Whether a value is written in parts. */
export function isStreamed(value: unknown): value is JsonList | JsonHash {
  return value instanceof JsonList || value instanceof JsonHash
}

/** Pure: the text of `JSON.stringify`, with arrays and objects for the streamed parts, in chunks of about this length. */
export function* jsonChunks(value: unknown, chunkLength = chunkBytes): Generator<string> {
  const writer = new JsonWriter()
  for (const _ of steps(writer, value)) if (writer.length >= chunkLength) yield writer.drain()
  yield writer.drain()
}

/**
 * Writes JSON as `jsonChunks` does, as UTF-8, and yields to the event loop. `onChunk` receives each chunk and may throw.
 * Rejects when the signal aborts.
 */
export async function writeJson(
  value: unknown,
  onChunk: (chunk: Buffer) => void,
  {
    signal = null,
    chunkLength = chunkBytes,
  }: { readonly signal?: AbortSignal | null; readonly chunkLength?: number } = {},
): Promise<void> {
  const slice = new TimeSlice(signal)
  for (const chunk of jsonChunks(value, chunkLength)) {
    if (chunk !== '') onChunk(Buffer.from(chunk))
    if (slice.isOver) await slice.next()
  }
}

/** Writes a value; yields after each part. */
function* steps(into: JsonWriter, value: unknown): Generator<void> {
  if (isStreamed(value)) {
    const [start, end] = value instanceof JsonList ? ['[', ']'] : ['{', '}']
    into.text(start)
    yield* value.write(into)
    into.text(end)
  } else if (!hasList(value)) into.text(JSON.stringify(value))
  else if (Array.isArray(value)) yield* listSteps(into, value)
  else yield* objectSteps(into, Object.entries(value))
}

/** Maximum number of small items that are written without a yield. */
const itemsPerStep = 20

function* listSteps(into: JsonWriter, items: readonly unknown[]): Generator<void> {
  for (let i = 0; i < items.length; i++) {
    into.text(i === 0 ? '[' : ',')
    const item = items[i] ?? null
    if (hasList(item)) yield* steps(into, item)
    else into.text(JSON.stringify(item))
    // Yields after the first item too, so that nested short lists yield.
    if (i === 0 || i % itemsPerStep === itemsPerStep - 1) yield
  }
  into.text(items.length === 0 ? '[]' : ']')
}

function* objectSteps(into: JsonWriter, entries: readonly (readonly [string, unknown])[]): Generator<void> {
  let separator = '{'
  for (const [name, value] of entries) {
    if (value === undefined) continue
    into.text(`${separator}${JSON.stringify(name)}:`)
    if (hasList(value)) yield* steps(into, value)
    else into.text(JSON.stringify(value))
    separator = ','
  }
  into.text(separator === '{' ? '{}' : '}')
}

/** Whether the value is or contains an array, which may be long. */
function hasList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || isStreamed(value) || Object.values(value).some(hasList)
}
