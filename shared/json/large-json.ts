import { TimeSlice } from '../async/time-slice.ts'
import type { JsonBounds } from './bounds.ts'
import { JsonScan, type LargeSpan } from './scan-json.ts'
import { decodeUtf8Part } from './utf8.ts'

/** Size of a chunk of JSON that is parsed in one step, about a millisecond of work, in bytes. */
export const defaultChunkBytes = 65_536

export interface ChunkOptions {
  readonly bytes: number
  readonly slice: TimeSlice
}

/**
 * A JSON array or object that is too large to parse in one step. It is parsed in chunks, with yields to the event loop
 * in between; large values inside are `LargeJson` too. Every part must be read, or validated by `check`: only then is
 * it known to be valid JSON. Throws a `SyntaxError` for invalid JSON.
 */
export class LargeJson {
  readonly isObject: boolean
  readonly #json: Uint8Array
  readonly #span: LargeSpan
  readonly #slice: TimeSlice

  constructor(json: Uint8Array, span: LargeSpan, slice: TimeSlice) {
    this.isObject = span.isObject
    this.#json = json
    this.#span = span
    this.#slice = slice
  }

  /** Returns the elements of an array in groups; a large element is a group of its own. */
  async *elements(): AsyncGenerator<readonly unknown[]> {
    for (const { text, large } of this.#groups('[', ']')) {
      const elements: readonly unknown[] = JSON.parse(text)
      if (elements.length === 0 && !this.#isWhole) throw invalidJson()
      yield large ? [large] : elements
      if (this.#slice.isOver) await this.#slice.next()
    }
  }

  /** Returns the members of an object; of members with the same name, the last one, as `JSON.parse` does. */
  async members(): Promise<Record<string, unknown>> {
    const members: Record<string, unknown> = {}
    for (const { text, large } of this.#groups('{', '}')) {
      const some: Record<string, unknown> = JSON.parse(text)
      const names = Object.keys(some)
      if (names.length === 0 && !this.#isWhole) throw invalidJson()
      for (const name of names) {
        const before = Object.hasOwn(members, name) ? members[name] : undefined
        if (before instanceof LargeJson) await before.check()
        const member = { value: large ?? some[name], enumerable: true, configurable: true, writable: true }
        Object.defineProperty(members, name, member)
      }
      if (this.#slice.isOver) await this.#slice.next()
    }
    return members
  }

  /** Validates everything without keeping values. */
  async check(): Promise<void> {
    if (this.isObject) {
      for (const member of Object.values(await this.members())) if (member instanceof LargeJson) await member.check()
      return
    }
    for await (const [first] of this.elements()) if (first instanceof LargeJson) await first.check()
  }

  /** Returns the whole value, as `JSON.parse` does. */
  async whole(): Promise<unknown> {
    if (!this.isObject) {
      const all: unknown[] = []
      for await (const elements of this.elements())
        for (const element of elements) all.push(element instanceof LargeJson ? await element.whole() : element)
      return all
    }
    const members = await this.members()
    for (const [name, member] of Object.entries(members))
      if (member instanceof LargeJson)
        Object.defineProperty(members, name, {
          ...Object.getOwnPropertyDescriptor(members, name),
          value: await member.whole(),
        })
    return members
  }

  /** Whether the value is parsed as one chunk. */
  get #isWhole(): boolean {
    return this.#span.cuts.length === 0
  }

  /**
   * Returns the chunks between the cuts as separate JSON texts; `null` replaces a large value, which is returned
   * separately.
   */
  *#groups(open: string, close: string): Generator<{ readonly text: string; readonly large: LargeJson | null }> {
    const { start, end, isClosed, cuts, large } = this.#span
    if (!isClosed) throw invalidJson()
    let next = 0
    let from = start + 1
    for (const to of [...cuts, end - 1]) {
      const inside = large[next]
      if (inside !== undefined && inside.start < to) {
        next += 1
        const text = `${textOf(this.#json, from, inside.start)} null ${textOf(this.#json, inside.end, to)}`
        yield { text: open + text + close, large: new LargeJson(this.#json, inside, this.#slice) }
      } else yield { text: open + textOf(this.#json, from, to) + close, large: null }
      from = to + 1
    }
    if (next < large.length) throw invalidJson()
  }
}

/**
 * Parses untrusted JSON: checks its limits first, as `parseJson` does, then parses its value; an array or object longer
 * than a chunk becomes a `LargeJson`. Throws a `JsonOutOfBounds`, or a `SyntaxError` for invalid JSON.
 */
export async function openJson(json: Uint8Array, bounds: JsonBounds, chunks: ChunkOptions): Promise<unknown> {
  return openScanned(json, await scanJson(json, bounds, chunks), chunks)
}

/** Scans JSON for limits and for positions at which to cut it; throws a `JsonOutOfBounds` if a limit is exceeded. */
export async function scanJson(
  json: Uint8Array,
  bounds: JsonBounds,
  { bytes, slice }: ChunkOptions,
): Promise<JsonScan> {
  const scanned = new JsonScan(json, bounds, bytes)
  while (!scanned.isDone) {
    scanned.advance(scanBytes)
    if (slice.isOver) await slice.next()
  }
  return scanned
}

const scanBytes = 262_144

/**
 * Parses JSON that `scanJson` has scanned: returns its value, or a `LargeJson`. Throws a `SyntaxError` for invalid
 * JSON.
 */
export function openScanned(json: Uint8Array, scanned: JsonScan, { bytes, slice }: ChunkOptions): unknown {
  const start = startsWithByteOrderMark(json) ? 3 : 0
  const [top, ...others] = scanned.large
  if (top !== undefined) {
    const isAlone = others.length === 0 && isBlank(json, start, top.start) && isBlank(json, top.end, json.length)
    if (!isAlone || !scanned.isBalanced) throw invalidJson()
    return new LargeJson(json, top, slice)
  }
  if (json.length > bytes && !scanned.isBalanced) throw invalidJson()
  return JSON.parse(textOf(json, start, json.length))
}

/** Parses untrusted JSON, as `parseJson` does, but yields to the event loop if it is large. */
export async function parseJsonCooperatively(
  json: Uint8Array,
  bounds: JsonBounds,
  chunkBytes = defaultChunkBytes,
): Promise<unknown> {
  const opened = await openJson(json, bounds, { bytes: chunkBytes, slice: new TimeSlice() })
  return opened instanceof LargeJson ? opened.whole() : opened
}

function startsWithByteOrderMark(json: Uint8Array): boolean {
  return json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf
}

function isBlank(json: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!blank.has(json[at] ?? 0)) return false
  return true
}

const blank: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

function textOf(json: Uint8Array, from: number, to: number): string {
  return decodeUtf8Part(json.subarray(from, to))
}

function invalidJson(): SyntaxError {
  return new SyntaxError('JSON is not well formed')
}
