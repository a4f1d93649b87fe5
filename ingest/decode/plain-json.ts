import type { Category } from '../../schema/sample.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { ByteCache, canonicalNumberEnd, copyOf, hashOf, isAt, textEnd } from './bytes.ts'
import { canonicalValue, maxTextLength, mayBeUnavailable } from './fields.ts'
import { recordBounds } from './json.ts'
import { findByHead, findByMiddle, type SampleShape, shapeOf } from './plain-shapes.ts'
import { type DecodeContext, SampleReader } from './validate.ts'

/**
 * Reads samples from JSON as gateways write it, in a quarter of the time of a parser: a batch `{machineId, samples}`, a sample with its
 * machineId, an array of these, or, in a body, one of these per line. Plain are ASCII strings without escapes, times in UTC and the fields of
 * `fieldNames`. A sample that differs from an earlier one in time and value only is compared with the bytes of that one.
 */
export class PlainJson extends SampleReader {
  readonly #json: Buffer
  readonly #maxObjects: number
  readonly #mayBeLines: boolean
  #state: 'start' | 'top' | 'batch' | 'end' | 'other' = 'start'
  #at = 0
  #isArray = false
  #objects = 0
  /** Objects at the top level, and where the last one began: if there is more than one, each must be on one line. */
  #topObjects = 0
  #topStart = 0
  /** The id that was read last outside a shape, and that of `machine`. */
  #ownId = ''
  #sentId: string | null = null
  /** Part of the JSON as text, and the index of its first byte. */
  #text = ''
  #textAt = 0

  /** JSON that may exceed a bound is not plain. `mayBeLines`: it may have more than one value, each on its line. */
  constructor(json: Buffer, context: DecodeContext, mayBeLines: boolean) {
    super(json, context)
    const { bounds = recordBounds } = context
    this.#json = json
    this.#mayBeLines = mayBeLines
    // A sample has at most about fifteen values and brackets.
    this.#maxObjects = Math.min(bounds.elements, bounds.values >> 4)
    const fits = bounds.depth >= 4 && bounds.keys >= 8 && bounds.keyBytes >= 16 && bounds.textBytes >= maxTextLength
    if (!fits || json.length > bounds.bytes) this.#state = 'other'
  }

  next(): 'sample' | 'end' | 'other' {
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'end' || this.#state === 'other') return this.#state
    const isRead = this.#state === 'batch' ? this.#readSample(this.#at) && this.#endSample() : this.#readTop()
    if (isRead && this.#objects <= this.#maxObjects) return 'sample'
    return (this.#state = 'other')
  }

  #begin(): void {
    this.#isArray = this.#skip() === openArray
    if (this.#isArray) this.#at++
    this.#state = this.#skip() === openObject ? 'top' : 'other'
  }

  /** Reads a sample, or the first one of a batch, at the top level. */
  #readTop(): boolean {
    const start = this.#at
    this.#topStart = start
    this.#topObjects++
    if (last.beforeId === null || !isAt(this.#json, start, last.beforeId)) {
      const found = this.#match(beforeId, start)
      last.beforeId = found && copyOf(this.#json, start, start + found.length)
    }
    if (last.beforeId === null) {
      this.#ownId = ''
      return this.#readSample(start) && this.#endTop()
    }
    const idEnd = this.#readId(start + last.beforeId.length)
    if (idEnd < 0) return false
    if (this.#readPredicted(idEnd)) return this.#endTop()
    const batch = this.#match(beforeSamples, idEnd)
    if (batch === null) return this.#readLearned(idEnd) && this.#endTop()
    this.#objects++
    this.#at = idEnd + batch.length
    this.#state = 'batch'
    return this.#json[this.#at] === openObject && this.#readSample(this.#at) && this.#endSample()
  }

  /** Reads a machine's id and returns the index of the quote that ends it; -1: it is not plain. */
  #readId(start: number): number {
    const end = textEnd(this.#json, start)
    if (end < 0) return -1
    const hash = hashOf(this.#json, start, end)
    const known = ids.find(hash, this.#json, start, end)
    this.#ownId = known ?? this.#json.toString('latin1', start, end)
    if (known === undefined && end - start <= maxCachedIdBytes) ids.store(hash, this.#json, start, end, this.#ownId)
    return end
  }

  #readSample(start: number): boolean {
    return this.#readPredicted(start) || this.#readLearned(start)
  }

  /** Reads a sample by the shape that followed the previous one the last time, or another stored one. */
  #readPredicted(start: number): boolean {
    const predicted = last.shape?.next ?? last.shape
    return predicted !== null && this.#readAs(predicted, start)
  }

  #readLearned(start: number): boolean {
    const shape = this.#learn(start)
    return shape !== null && this.#readAs(shape, start)
  }

  /** Reads a sample in this shape, which begins at an index, or in another stored one; false: it is in none of them. */
  #readAs(expected: SampleShape, start: number): boolean {
    const json = this.#json
    let shape = isAt(json, start, expected.head) ? expected : findByHead(json, start)
    if (shape === undefined) return false
    let at = start + shape.head.length
    if (shape.isValueFirst) {
      at = this.#readValue(at, shape.names.category)
      if (at < 0 || !isAt(json, at, shape.middle)) return false
      at = this.#readTime(at + shape.middle.length)
    } else {
      at = this.#readTime(at)
      if (at < 0) return false
      if (!isAt(json, at, shape.middle)) shape = findByMiddle(json, at, shape.head)
      if (shape === undefined) return false
      at = this.#readValue(at + shape.middle.length, shape.names.category)
    }
    if (at < 0 || !isAt(json, at, shape.tail) || !this.#findMachine(shape.machineId ?? this.#ownId)) return false
    if (!this.isInTime()) return false
    this.#at = at + shape.tail.length
    this.#objects++
    this.names = shape.names
    if (last.shape !== null) last.shape.next = shape
    last.shape = shape
    return true
  }

  /** Looks up the machine of a sample; false: it does not exist. */
  #findMachine(id: string): boolean {
    if (id === this.#sentId) return true
    if (id === '' || !this.useMachine(this.context.machine(id.toLowerCase()))) return false
    this.#sentId = id
    return true
  }

  /** Finds or stores the shape of a sample by its members; null: the sample is not plain, or its names are invalid. */
  #learn(start: number): SampleShape | null {
    const fields = new Map<string, string>()
    const slots = { timestamp: 0, value: 0 }
    this.#at = start + 1
    // After a machine's id, a shape begins with the quote that ends the id.
    let next = this.#json[start] === quote ? this.#token() : comma
    while (next === comma) {
      this.#skip()
      const found = this.#match(member, this.#at)
      const [, name = '', { length } = ''] = found?.groups ?? []
      if (found === null || !fieldNames.has(name) || fields.has(name)) return null
      this.#at += found.length
      if (name === 'timestamp' || name === 'value') slots[name] = this.#at - length
      // A copy: a part of the matched text would retain all of it.
      fields.set(name, this.#json.toString('latin1', this.#at - length, this.#at))
      next = this.#token()
    }
    return next === closeObject ? shapeOf(this.#json, fields, { start, ...slots, end: this.#at }) : null
  }

  /** Continues after a sample of a batch. */
  #endSample(): boolean {
    const next = this.#token()
    if (next === comma) return this.#skip() === openObject
    return next === closeArray && this.#token() === closeObject && this.#endTop()
  }

  /** Continues after an object at the top level; false: what follows is not plain. */
  #endTop(): boolean {
    const end = this.#at
    this.#state = 'top'
    if (this.#isArray) {
      const next = this.#token()
      if (next === comma) return this.#skip() === openObject
      this.#state = 'end'
      return next === closeArray && this.#skip() === nothing
    }
    const lineEnd = this.#json.indexOf(lineFeed, this.#topStart)
    const next = this.#skip()
    if (next === openObject) return this.#mayBeLines && lineEnd >= end && lineEnd < this.#at
    this.#state = 'end'
    return next === nothing && (this.#topObjects === 1 || lineEnd < 0 || lineEnd >= end)
  }

  /** Skips white space and returns the byte after it; `nothing` at the end, `tooFar` after too much white space. */
  #skip(): number {
    const end = this.#at + maxBlankBytes
    for (; this.#at <= end; this.#at++) {
      const byte = this.#json[this.#at] ?? nothing
      if (byte !== space && byte !== lineFeed && byte !== tab && byte !== carriageReturn) return byte
    }
    return tooFar
  }

  /** Skips white space and the byte after it, and returns that byte. */
  #token(): number {
    const byte = this.#skip()
    this.#at++
    return byte
  }

  /** Reads the time `YYYY-MM-DDTHH:mm:ss[.f…]Z` and returns the index of the quote after it; -1: it has another form. */
  #readTime(start: number): number {
    const json = this.#json
    if (last.minute === null || !isAt(json, start, last.minute)) {
      const minute = json.toString('latin1', start, start + minuteBytes)
      const minuteUs = wholeMinute.test(minute) ? parseInstantUs(`${minute}00Z`) : null
      if (minuteUs === null) return -1
      last.minuteUs = minuteUs
      last.minute = copyOf(json, start, start + minuteBytes)
    }
    let at = start + minuteBytes
    const tens = (json[at] ?? 0) - zero
    const ones = (json[at + 1] ?? 0) - zero
    if (!(tens >= 0 && tens <= 5 && ones >= 0 && ones <= 9)) return -1
    let us = (tens * 10 + ones) * 1_000_000
    at += 2
    if (json[at] === point) {
      const first = ++at
      for (let unit = 100_000; at < start + maxTextLength - 1; at++) {
        const digit = (json[at] ?? 0) - zero
        if (!(digit >= 0 && digit <= 9)) break
        us += unit * digit
        unit = unit > 1 ? unit / 10 : 0
      }
      if (at === first) return -1
    }
    this.atUs = last.minuteUs + us
    return json[at] === zulu && json[at + 1] === quote ? at + 1 : -1
  }

  /** Reads a value and returns the index after it; -1: it is neither a plain string nor a finite number. */
  #readValue(start: number, category: Category): number {
    const json = this.#json
    this.bytes = json
    if (json[start] === quote) {
      const end = textEnd(json, start + 1)
      if (end < 0) return -1
      this.start = start + 1
      this.end = end
      if (category === 'CONDITION' || mayBeUnavailable(json, start + 1, end))
        this.#replaceValue(canonicalValue(json.toString('latin1', start + 1, end), category))
      return end + 1
    }
    const end = canonicalNumberEnd(json, start)
    this.start = start
    this.end = end
    if (end >= 0) return end
    const token = this.#match(anyNumber, start)
    const value = Number(token?.groups[0] ?? Number.NaN)
    if (token === null || !Number.isFinite(value)) return -1
    this.#replaceValue(String(value))
    return start + token.length
  }

  #replaceValue(text: string): void {
    this.bytes = Buffer.from(text)
    this.start = 0
    this.end = this.bytes.length
  }

  /** Matches a sticky pattern at an index. */
  #match(
    pattern: RegExp,
    at: number,
  ): { readonly groups: readonly (string | undefined)[]; readonly length: number } | null {
    const windowEnd = this.#textAt + this.#text.length
    if (at < this.#textAt || (at + maxMatchBytes > windowEnd && windowEnd < this.#json.length)) {
      this.#text = this.#json.toString('latin1', at, at + windowBytes)
      this.#textAt = at
    }
    pattern.lastIndex = at - this.#textAt
    const groups = pattern.exec(this.#text)
    return groups && { groups, length: groups[0].length }
  }
}

/** State of the last reader for the next one: records and bodies resemble each other. */
const last: LastRead = { shape: null, beforeId: null, minute: null, minuteUs: 0 }

interface LastRead {
  shape: SampleShape | null
  /** The bytes before the machine's id in a batch, or in a sample with the id as its first member. */
  beforeId: Uint8Array | null
  /** The minute of the last time, as bytes and as UTC µs. */
  minute: Uint8Array | null
  minuteUs: number
}

/** Fields of a plain sample. */
const fieldNames: ReadonlySet<string> = new Set([
  'machineId',
  'timestamp',
  'key',
  'type',
  'subtype',
  'category',
  'value',
])
const beforeId = /\{[ \t\n\r]*"machineId"[ \t\n\r]*:[ \t\n\r]*"/y
const beforeSamples = /"[ \t\n\r]*,[ \t\n\r]*"samples"[ \t\n\r]*:[ \t\n\r]*\[[ \t\n\r]*/y
const member = /"(\w+)"[ \t\n\r]*:[ \t\n\r]*("[ !#-[\]-\x7f]*"|null|[\d.eE+-]+)/y
const anyNumber = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** A minute of a day; hour 24 is left to the general reader. */
const wholeMinute = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:$/
/** Length of `YYYY-MM-DDTHH:mm:`. */
const minuteBytes = 17

/** Size of the part of the JSON that is matched as text, and of the longest match: a string of maximum length. */
const windowBytes = 65_536
const maxMatchBytes = maxTextLength + 2_000

/** Ids of machines, so that equal ids are one string. */
const ids = new ByteCache<string>()
const maxCachedIdBytes = 64

/** Maximum white space between two tokens: senders that indent their JSON write less. */
const maxBlankBytes = 1_000

/** Results of `#skip` that are not a byte. */
const nothing = -1
const tooFar = -2
const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const quote = 0x22
const comma = 0x2c
const point = 0x2e
const zero = 0x30
const openArray = 0x5b
const zulu = 0x5a
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
