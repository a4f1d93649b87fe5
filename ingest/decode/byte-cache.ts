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
export const firstHash = 0x811c9dc5

/** Adds a byte to a hash by FNV-1a: https://en.wikipedia.org/wiki/Fowler–Noll–Vo_hash_function */
export function nextHash(hash: number, byte: number): number {
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
