import { type JsonBounds, JsonOutOfBounds } from './bounds.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** An array or object that is longer than a chunk, and the positions at which to cut it, in bytes. */
export interface LargeSpan {
  readonly start: number
  /** Position after its last byte. */
  readonly end: number
  readonly isObject: boolean
  /** Whether its closing bracket matches the opening one. */
  readonly isClosed: boolean
  /**
   * Positions of commas between its elements or members: about a chunk apart, and on both sides of large elements or
   * members.
   */
  readonly cuts: readonly number[]
  /** Its large elements or members. */
  readonly large: readonly LargeSpan[]
}

/**
 * Scans UTF-8 JSON once, in any number of steps, and throws a `JsonOutOfBounds` at the first position that exceeds a
 * limit. Finds arrays and objects that are longer than `chunkBytes`, and positions at which to cut them. It does not
 * check the syntax: invalid JSON may pass, and the parser rejects it.
 */
export class JsonScan {
  readonly #json: Uint8Array
  readonly #bounds: JsonBounds
  readonly #chunkBytes: number
  #at = 0
  #depth = 0
  #values = 1
  /** Length of the last string, which is a key if a colon follows. */
  #textBytes = 0
  /**
   * State of each level: number of further commas that the limits allow, whether it is an object, and the positions of
   * its start, last comma and last cut.
   */
  readonly #remainingCommas: Float64Array
  readonly #isObject: Uint8Array
  readonly #startAt: Uint32Array
  readonly #commaAt: Uint32Array
  readonly #cutAt: Uint32Array
  readonly #found = new Map<number, { readonly cuts: number[]; readonly large: LargeSpan[] }>()

  constructor(json: Uint8Array, bounds: JsonBounds, chunkBytes = Infinity) {
    if (json.length > bounds.bytes) throw new JsonOutOfBounds('bytes', bounds.bytes)
    const levels = bounds.depth + 1
    this.#json = json
    this.#bounds = bounds
    this.#chunkBytes = chunkBytes
    this.#remainingCommas = new Float64Array(levels).fill(Infinity)
    this.#isObject = new Uint8Array(levels)
    this.#startAt = new Uint32Array(levels)
    this.#commaAt = new Uint32Array(levels)
    this.#cutAt = new Uint32Array(levels)
  }

  get isDone(): boolean {
    return this.#at >= this.#json.length
  }

  /** Whether every opening bracket has a closing one. */
  get isBalanced(): boolean {
    return this.#depth === 0
  }

  /** Large top-level values; more than one only in invalid JSON. */
  get large(): readonly LargeSpan[] {
    return this.#found.get(0)?.large ?? []
  }

  advance(bytes: number): void {
    const json = this.#json
    const bounds = this.#bounds
    const chunkBytes = this.#chunkBytes
    const length = json.length
    const maxTextBytes = Math.min(bounds.textBytes, length)
    const end = bytes < length - this.#at ? this.#at + bytes : length
    const remainingCommas = this.#remainingCommas
    const isObject = this.#isObject
    const startAt = this.#startAt
    const commaAt = this.#commaAt
    const cutAt = this.#cutAt
    let depth = this.#depth
    let values = this.#values
    let textBytes = this.#textBytes
    let at = this.#at
    for (; at < end; at++) {
      const byte = json[at]
      if (byte === quote) {
        const start = ++at
        const last = maxTextBytes < length - start ? start + maxTextBytes + 1 : length
        while (at < last && json[at] !== quote) at += json[at] === backslash ? 2 : 1
        textBytes = at - start
        if (textBytes > maxTextBytes) throw new JsonOutOfBounds('textBytes', bounds.textBytes)
      } else if (byte === comma) {
        const left = (remainingCommas[depth] ?? 0) - 1
        remainingCommas[depth] = left
        if (left < 0) throw tooMany(isObject[depth] === 1 ? 'keys' : 'elements', bounds)
        if (++values > bounds.values) throw tooMany('values', bounds)
        commaAt[depth] = at
        if (at - (cutAt[depth] ?? 0) > chunkBytes) this.#cut(depth, at)
      } else if (byte === colon) {
        if (textBytes > bounds.keyBytes) throw tooMany('keyBytes', bounds)
      } else if (byte === openArray || byte === openObject) {
        if (++depth > bounds.depth) throw tooMany('depth', bounds)
        if (++values > bounds.values) throw tooMany('values', bounds)
        isObject[depth] = byte === openObject ? 1 : 0
        remainingCommas[depth] = (byte === openObject ? bounds.keys : bounds.elements) - 1
        startAt[depth] = at
        commaAt[depth] = at
        cutAt[depth] = at
      } else if (byte === closeArray || byte === closeObject) {
        if (depth > 0) {
          if (at - (startAt[depth] ?? 0) >= chunkBytes) this.#close(depth, at, byte === closeObject)
          depth--
        }
      }
    }
    this.#at = at
    this.#depth = depth
    this.#values = values
    this.#textBytes = textBytes
  }

  #cut(depth: number, at: number): void {
    this.#of(depth).cuts.push(at)
    this.#cutAt[depth] = at
  }

  #close(depth: number, at: number, isObjectsEnd: boolean): void {
    const { cuts, large } = this.#of(depth)
    this.#found.delete(depth)
    const isObject = this.#isObject[depth] === 1
    const isClosed = isObject === isObjectsEnd
    const outside = this.#of(depth - 1)
    const [before, last] = [this.#commaAt[depth - 1] ?? 0, this.#cutAt[depth - 1] ?? 0]
    if (depth > 1 && before > last) this.#cut(depth - 1, before)
    outside.large.push({ start: this.#startAt[depth] ?? 0, end: at + 1, isObject, isClosed, cuts, large })
  }

  #of(depth: number): { readonly cuts: number[]; readonly large: LargeSpan[] } {
    let found = this.#found.get(depth)
    if (found === undefined) this.#found.set(depth, (found = { cuts: [], large: [] }))
    return found
  }
}

function tooMany(bound: keyof JsonBounds, bounds: JsonBounds): JsonOutOfBounds {
  return new JsonOutOfBounds(bound, bounds[bound])
}
