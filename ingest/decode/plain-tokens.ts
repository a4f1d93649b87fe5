import { ByteCache, firstHash, nextHash } from './byte-cache.ts'
import { maxTextLength } from './fields.ts'

/** The fields that a plain sample or batch may have, each with its bit in a set of fields. */
export const fieldBits = {
  machineId: 1,
  samples: 2,
  timestamp: 4,
  key: 8,
  type: 16,
  subtype: 32,
  value: 64,
  category: 128,
}
/** Fields that each sample has. */
export const requiredFields = fieldBits.timestamp | fieldBits.key | fieldBits.type | fieldBits.value
/** A field of a plain sample or batch; `unknown`: another one. */
export type PlainField = keyof typeof fieldBits | 'unknown'

/** Returns the field whose name begins at an index. */
export function fieldAt(bytes: Uint8Array, at: number): PlainField {
  const field = candidate(bytes[at] ?? 0, bytes[at + 1] ?? 0)
  return isTextAt(bytes, at, field) ? field : 'unknown'
}

/** The first two bytes distinguish all fields. */
function candidate(first: number, second: number): PlainField {
  switch (first) {
    case 0x63:
      return 'category'
    case 0x6b:
      return 'key'
    case 0x6d:
      return 'machineId'
    case 0x73:
      return second === 0x75 ? 'subtype' : 'samples'
    case 0x74:
      return second === 0x69 ? 'timestamp' : 'type'
    case 0x76:
      return 'value'
    default:
      return 'unknown'
  }
}

/** Whether the bytes at an index are this ASCII text. */
export function isTextAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** Whether a byte is a decimal digit. */
export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** In bytes: no name that senders repeat is longer. */
const maxNameBytes = 64
const names = new ByteCache<string>()

/**
 * Reads a name, such as a key or a machine's id, that begins after its quote; the same string as before if it is cached. undefined: it is
 * longer than a usual name, or not plain.
 */
export function nameAt(json: Buffer, start: number): string | undefined {
  let hash = firstHash
  let end = start
  for (let byte = json[end] ?? 0; byte !== quote; byte = json[++end] ?? 0) {
    if (!isPlain(byte) || end - start === maxNameBytes) return undefined
    hash = nextHash(hash, byte)
  }
  const found = names.find(hash, json, start, end)
  if (found !== undefined) return found
  const name = json.toString('latin1', start, end)
  names.store(hash, json, start, end, name)
  return name
}

/** Returns the index of the quote that ends a string, which begins after its own quote; -1: it is not plain, or longer than a sample's may be. */
export function textEnd(bytes: Uint8Array, start: number): number {
  const last = start + maxTextLength
  for (let at = start; at <= last; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    if (!isPlain(byte)) return -1
  }
  return -1
}

/** Whether a byte is printable ASCII that JSON does not escape; the quote is included. */
function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7f && byte !== backslash
}

/** Maximum number of consecutive digits: senders write fewer. */
const maxDigits = 1_000

/** Returns the index after a JSON number; -1: no number begins here, or it has too many digits. */
export function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === minus ? start + 1 : start
  const whole = digitsEnd(bytes, at)
  if (whole === at || (bytes[at] === zero && whole > at + 1)) return -1
  at = whole
  if (bytes[at] === point) {
    const end = digitsEnd(bytes, at + 1)
    if (end === at + 1) return -1
    at = end
  }
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at
  at += bytes[at + 1] === minus || bytes[at + 1] === plus ? 2 : 1
  const end = digitsEnd(bytes, at)
  return end === at ? -1 : end
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start
  const last = start + maxDigits
  while (at < last && isDigit(bytes[at] ?? 0)) at++
  return at
}

/**
 * Whether JavaScript writes this JSON number with the same characters; false may be wrong. Doubles preserve up to 15 digits:
 * https://en.wikipedia.org/wiki/Double-precision_floating-point_format
 */
export function isCanonicalNumber(bytes: Uint8Array, numberStart: number, end: number): boolean {
  if (end - numberStart > 16) return false
  const isNegative = bytes[numberStart] === minus
  const start = isNegative ? numberStart + 1 : numberStart
  let pointAt = -1
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === point) pointAt = at
    else if (!isDigit(byte)) return false
  }
  if (pointAt < 0) return end - start <= 15 && !(isNegative && end - start === 1 && bytes[start] === zero)
  return bytes[end - 1] !== zero && !isTextAt(bytes, start, '0.00000')
}

const quote = 0x22
const plus = 0x2b
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const backslash = 0x5c
