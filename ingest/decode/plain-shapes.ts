import { copyOf, hashOf, isAt } from './byte-cache.ts'
import type { DataItemNames } from './names.ts'

/** Names of a sample as they were sent; a name that is left out or null is undefined. */
export interface RawNames {
  readonly key: string | undefined
  readonly type: string | undefined
  readonly subtype: string | undefined
  readonly category: string | undefined
  /** The canonical names, once they are known; null: a name is invalid, or must be converted. */
  canonical?: DataItemNames | null
}

/** The bytes of a sample around its timestamp and its value: senders write most samples in the same way as an earlier one. */
export interface SampleShape {
  readonly names: RawNames
  /** From the start of the object to the first quote of the timestamp, inclusive. Samples of one sender share it. */
  readonly head: Uint8Array
  /** From the last quote of the timestamp to the value, exclusive. */
  readonly middle: Uint8Array
  /** From the end of the value to that of the object. */
  readonly tail: Uint8Array
  /** The shape that followed this one the last time. */
  next: SampleShape | null
}

/** Indexes of the parts of a sample. */
export interface SampleOffsets {
  readonly start: number
  /** The index after the first quote of the timestamp, and the index after its last quote. */
  readonly timeStart: number
  readonly timeEnd: number
  readonly valueStart: number
  readonly valueEnd: number
  readonly end: number
}

/** Maximum number of shapes: senders repeat a few hundred, and a sender that never repeats one must not fill the memory. */
const maxShapes = 5_000
/** Maximum size of a sample whose shape is stored. */
const maxSampleBytes = 400
/** Maximum number of shapes with the same hash, which are compared one by one. */
const maxOfHash = 8
/** Bytes of a middle that are hashed: `,"key":"` and the first bytes of the key, which distinguish most keys. */
const hashedBytes = 20

const byHash = new Map<number, SampleShape[]>()
const heads = new Map<string, Uint8Array>()
let count = 0

/** Finds the shape with this head whose middle begins at an index. */
export function findShape(bytes: Uint8Array, head: Uint8Array, at: number): SampleShape | null {
  const candidates = byHash.get(hashOf(bytes, at, at + hashedBytes))
  if (candidates !== undefined)
    for (const shape of candidates) if (shape.head === head && isAt(bytes, at, shape.middle)) return shape
  return null
}

/** Stores the shape of a sample and returns it; null: its shape cannot be reused, or there are too many similar ones. */
export function storeShape(json: Buffer, offsets: SampleOffsets, names: RawNames): SampleShape | null {
  const { start, timeStart, timeEnd, valueStart, valueEnd, end } = offsets
  if (valueStart < timeEnd || timeStart <= start || end - start > maxSampleBytes) return null
  if (count >= maxShapes) {
    byHash.clear()
    heads.clear()
    count = 0
  }
  const head = headOf(json, start, timeStart)
  const known = findShape(json, head, timeEnd)
  if (known !== null && isAt(json, valueEnd, known.tail)) return known
  const hash = hashOf(json, timeEnd, timeEnd + hashedBytes)
  const candidates = byHash.get(hash) ?? []
  if (candidates.length >= maxOfHash) return null
  const shape = {
    names,
    head,
    middle: copyOf(json, timeEnd, valueStart),
    tail: copyOf(json, valueEnd, end),
    next: null,
  }
  candidates.push(shape)
  byHash.set(hash, candidates)
  count++
  return shape
}

function headOf(json: Buffer, start: number, end: number): Uint8Array {
  const text = json.toString('latin1', start, end)
  let head = heads.get(text)
  if (head === undefined) heads.set(text, (head = copyOf(json, start, end)))
  return head
}
