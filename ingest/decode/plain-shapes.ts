import type { SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import { copyOf, hashOf, isAt } from './bytes.ts'
import { readNames } from './fields.ts'

/** The bytes of a sample around its time and value: senders write most samples in the same way as an earlier one. */
export interface SampleShape {
  readonly names: SampleNames
  /** The machine's id, if it is among these bytes. */
  readonly machineId: string | null
  readonly isValueFirst: boolean
  /** Up to the first of time and value, between both, and after the second. The quotes of the time belong to the shape. */
  readonly head: Uint8Array
  readonly middle: Uint8Array
  readonly tail: Uint8Array
  /** The shape that followed this one the last time. */
  next: SampleShape | null
}

/** Indexes of the parts of a sample. The time and the value begin with their quotes. */
interface SampleOffsets {
  readonly start: number
  readonly timestamp: number
  readonly value: number
  readonly end: number
}

/** Maximum number of shapes and of names: senders repeat a few hundred, and a sender that never repeats one must not fill the memory. */
const maxEntries = 5_000
/** Maximum size of a sample whose shape is stored. */
const maxShapeBytes = 400
/** Maximum number of shapes with the same hash, which are compared one by one. */
const maxOfHash = 8
/** Bytes that are hashed, of a head or after a time: `","key":"` and the first bytes of the key, which distinguish most keys. */
const hashedBytes = 20

/** Above the length of valid names. */
const maxNamesLength = 1_100

const byText = new Map<string, SampleShape>()
const byHash = new Map<number, SampleShape[]>()
/** Names by their JSON, so that samples with equal names share one object; null: invalid, or to be converted. */
const namesByText = new Map<string, SampleNames | null>()

/** Finds a shape whose head begins at an index, if its head has names in it. */
export function findByHead(json: Uint8Array, at: number): SampleShape | undefined {
  return candidates(json, at).find(({ head }) => isLong(head) && isAt(json, at, head))
}

/** Finds a shape with this head whose middle begins at an index, after a time. */
export function findByMiddle(json: Uint8Array, at: number, head: Uint8Array): SampleShape | undefined {
  return candidates(json, at).find(
    shape => isAt(json, at, shape.middle) && shape.head.length === head.length && isAt(head, 0, shape.head),
  )
}

function candidates(json: Uint8Array, at: number): readonly SampleShape[] {
  return byHash.get(hashOf(json, at, at + hashedBytes)) ?? []
}

/** Whether a head has names in it, and is hashed. */
function isLong(head: Uint8Array): boolean {
  return head.length >= hashedBytes
}

/** Returns the shape of a sample with these members, by name as JSON; null: a member lacks or is not plain, or a name is invalid. */
export function shapeOf(
  json: Buffer,
  fields: ReadonlyMap<string, string>,
  { start, timestamp, value, end }: SampleOffsets,
): SampleShape | null {
  const time = fields.get('timestamp')
  const written = fields.get('value') ?? 'null'
  if (!time?.startsWith('"') || written === 'null') return null
  const timeSlot = [timestamp + 1, timestamp + time.length - 1] as const
  const valueSlot = [value, value + written.length] as const
  const isValueFirst = value < timestamp
  const [[first, afterFirst], [second, afterSecond]] = isValueFirst
    ? ([valueSlot, timeSlot] as const)
    : ([timeSlot, valueSlot] as const)
  const parts = [start, afterFirst, afterSecond].map((from, i) => [from, [first, second, end][i] ?? end] as const)
  const text = parts.map(part => json.toString('latin1', ...part)).join('\0')
  const known = byText.get(text)
  if (known !== undefined) return known
  const names = namesOf(fields)
  const machineId = textOf(fields.get('machineId'))
  if (names === null || machineId === undefined) return null
  const [head, middle, tail] = [
    copyOf(json, start, first),
    copyOf(json, afterFirst, second),
    copyOf(json, afterSecond, end),
  ]
  const shape = { names, machineId, isValueFirst, head, middle, tail, next: null }
  const hashedAt = isLong(head) ? start : afterFirst
  if (text.length <= maxShapeBytes) store(text, shape, hashOf(json, hashedAt, hashedAt + hashedBytes))
  return shape
}

function store(text: string, shape: SampleShape, hash: number): void {
  if (byText.size >= maxEntries) {
    byText.clear()
    byHash.clear()
  }
  byText.set(text, shape)
  const others = byHash.get(hash)
  if (others === undefined) byHash.set(hash, [shape])
  else if (others.length < maxOfHash) others.push(shape)
}

function namesOf(fields: ReadonlyMap<string, string>): SampleNames | null {
  const sent = ['key', 'type', 'subtype', 'category'].map(name => fields.get(name) ?? 'null')
  const text = sent.join()
  const known = namesByText.get(text)
  if (known !== undefined) return known
  const [key, type, subtype, category] = sent.map(textOf)
  const isPlain = [key, type, subtype, category].every(name => name !== undefined)
  const names = isPlain ? readNames({ key, type, subtype, category }) : null
  if (namesByText.size >= maxEntries) namesByText.clear()
  if (text.length <= maxNamesLength) namesByText.set(text, names)
  return names
}

/** Returns a plain string of JSON; null: it is null or left out; undefined: it is another value. */
function textOf(json = 'null'): string | null | undefined {
  if (json === 'null') return null
  return json.startsWith('"') ? json.slice(1, -1) : undefined
}
