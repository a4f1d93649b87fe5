import { maxTextLength } from './fields.ts'

/** Senders repeat a few hundred names; a sender that never repeats one must not fill the memory. */
const maxEntries = 10_000

interface Entry<Value> {
  readonly bytes: Uint8Array
  readonly value: Value
}

/** Caches values by the bytes from which they were read. */
export class ByteCache<Value> {
  readonly #entries = new Map<number, Entry<Value>>()

  /** Returns the value of these bytes; undefined if it is not cached. `hash` is the FNV-1a hash of the bytes. */
  find(hash: number, source: Uint8Array, start: number, end: number): Value | undefined {
    const entry = this.#entries.get(hash)
    return entry !== undefined && end - start === entry.bytes.length && isAt(source, start, entry.bytes)
      ? entry.value
      : undefined
  }

  /** Stores a value with a copy of its bytes, so that the source can be freed. */
  store(hash: number, source: Uint8Array, start: number, end: number, value: Value): void {
    if (this.#entries.size >= maxEntries) this.#entries.clear()
    this.#entries.set(hash, { bytes: copyOf(source, start, end), value })
  }
}

/** Start value of `nextHash`. */
const firstHash = 0x811c9dc5

/** Adds a byte to a hash by FNV-1a: https://en.wikipedia.org/wiki/Fowler–Noll–Vo_hash_function */
function nextHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193)
}

/** Returns the hash of bytes; bytes after the end of the source count as 0. */
export function hashOf(source: Uint8Array, start: number, end: number): number {
  let hash = firstHash
  for (let at = start; at < end; at++) hash = nextHash(hash, source[at] ?? 0)
  return hash
}

/** Whether the source contains these bytes at an index. */
export function isAt(source: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (source[at + i] !== expected[i]) return false
  return true
}

/** Returns a copy of a part of the source, even if the source is a `Buffer`. */
export function copyOf(source: Uint8Array, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(source, start, end)
}

/** Returns the index of the quote that ends a string, which begins after its own quote; -1: it has escapes or is not ASCII, or is longer than a sample's may be. */
export function textEnd(bytes: Uint8Array, start: number): number {
  const last = start + maxTextLength
  for (let at = start; at <= last; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    if (byte < 0x20 || byte > 0x7f || byte === backslash) return -1
  }
  return -1
}

/**
 * Returns the index after a number of JSON that JavaScript writes with the same characters; -1: it may write different ones. Doubles preserve up to 15
 * digits: https://en.wikipedia.org/wiki/Double-precision_floating-point_format
 */
export function canonicalNumberEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === minus ? start + 1 : start
  const isZero = bytes[first] === zero
  const point = digitsEnd(bytes, first)
  if (point === first || (isZero && point > first + 1)) return -1
  let end = point
  if (bytes[point] === dot) {
    end = digitsEnd(bytes, point + 1)
    // Without a digit, the last byte is the point.
    if (bytes[end - 1] === zero || end === point + 1) return -1
    // JavaScript writes smaller numbers with an exponent.
    if (isZero && digitsEnd(bytes, point + 1, zero) >= point + 6) return -1
  } else if (isZero && first > start) return -1
  const digits = end - first - (end > point ? 1 : 0)
  return digits > 15 || bytes[end] === lowerE || bytes[end] === upperE ? -1 : end
}

/** Returns the index after up to 16 digits, none of them greater than `greatest`. */
function digitsEnd(bytes: Uint8Array, start: number, greatest = 0x39): number {
  let at = start
  for (let byte = bytes[at] ?? 0; byte >= zero && byte <= greatest && at < start + 17; byte = bytes[at] ?? 0) at++
  return at
}

const quote = 0x22
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const upperE = 0x45
const backslash = 0x5c
const lowerE = 0x65
