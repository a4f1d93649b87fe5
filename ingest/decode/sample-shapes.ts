import type { DataItemNames } from './sample.ts'

/** The names of a sample as they came; what was left out, or is null, is undefined. */
export interface RawNames {
  readonly key: string | undefined
  readonly type: string | undefined
  readonly subtype: string | undefined
  readonly category: string | undefined
  /** As they are kept, once they were read; null: they have a fault, or must be converted. */
  read?: DataItemNames | null
}

/** The bytes of a batch's sample around its time and its value: senders write most samples as they wrote one before. */
export interface SampleShape {
  readonly names: RawNames
  /** Up to the time's first quote, and that one too. Samples of one sender share it. */
  readonly head: Uint8Array
  /** From the time's last quote up to the value. */
  readonly middle: Uint8Array
  /** From the value's end to that of the object. */
  readonly tail: Uint8Array
  /** The shape that came after this one the last time. */
  next: SampleShape | null
}

/** Where the parts of a sample lie. */
export interface SamplePlace {
  readonly start: number
  /** Behind the time's first quote, and behind its last. */
  readonly timeStart: number
  readonly timeEnd: number
  readonly valueStart: number
  readonly valueEnd: number
  readonly end: number
}

/** Senders repeat a few hundred shapes for ever; one that sends ever new ones must not fill the memory. */
const mostShapes = 5_000
/** Longer ones are not kept. */
const mostBytes = 400
/** Shapes that begin alike are looked through. */
const mostAlike = 8
/** So many bytes tell most keys apart: `,"key":"` and the first of the name. */
const prefixBytes = 20

const byPrefix = new Map<number, SampleShape[]>()
const heads = new Map<string, Uint8Array>()
let count = 0

/** Finds the shape of a head whose middle stands here. */
export function findShape(bytes: Uint8Array, head: Uint8Array, at: number): SampleShape | null {
  const alike = byPrefix.get(prefixAt(bytes, at))
  if (alike !== undefined)
    for (const shape of alike) if (shape.head === head && isAt(bytes, at, shape.middle)) return shape
  return null
}

/** Keeps the shape of a sample that was read; null: it is none that is worth it. */
export function keepShape(json: Buffer, place: SamplePlace, names: RawNames): SampleShape | null {
  const { start, timeStart, timeEnd, valueStart, valueEnd, end } = place
  if (valueStart < timeEnd || timeStart <= start || end - start > mostBytes) return null
  if (count >= mostShapes) {
    byPrefix.clear()
    heads.clear()
    count = 0
  }
  const head = headOf(json, start, timeStart)
  const known = findShape(json, head, timeEnd)
  if (known !== null && isAt(json, valueEnd, known.tail)) return known
  const prefix = prefixAt(json, timeEnd)
  const alike = byPrefix.get(prefix) ?? []
  if (alike.length >= mostAlike) return null
  // Copies: the body does not stay.
  const shape = {
    names,
    head,
    middle: copied(json, timeEnd, valueStart),
    tail: copied(json, valueEnd, end),
    next: null,
  }
  alike.push(shape)
  byPrefix.set(prefix, alike)
  count++
  return shape
}

/** Whether these bytes stand there. */
export function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

function headOf(json: Buffer, start: number, end: number): Uint8Array {
  const text = json.toString('latin1', start, end)
  let head = heads.get(text)
  if (head === undefined) heads.set(text, (head = copied(json, start, end)))
  return head
}

function copied(json: Uint8Array, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(json, start, end)
}

function prefixAt(bytes: Uint8Array, at: number): number {
  let hash = 0x811c9dc5
  for (let i = at; i < at + prefixBytes; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193)
  return hash
}
