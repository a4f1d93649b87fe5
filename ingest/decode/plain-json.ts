import type { JsonBounds } from '../../shared/json/bounds.ts'
import { copyOf, isAt } from './byte-cache.ts'
import { maxTextLength } from './fields.ts'
import { PlainInstants } from './plain-instants.ts'
import { findShape, type RawNames, type SampleOffsets, type SampleShape, storeShape } from './plain-shapes.ts'
import {
  fieldAt,
  fieldBits,
  isCanonicalNumber,
  isTextAt,
  nameAt,
  numberEnd,
  type PlainField,
  requiredFields,
  textEnd,
} from './plain-tokens.ts'

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }

/** A sample as it was sent, valid until the next one is read. */
export interface PlainSample {
  readonly machineId: string
  readonly atUs: number
  readonly names: RawNames
  /** A number as JavaScript writes it, if it was sent in another form; null: the value is the following bytes of the JSON, ASCII. */
  readonly value: string | null
  readonly json: Buffer
  readonly valueStart: number
  readonly valueEnd: number
}

/**
 * Reads plain samples from the bytes of JSON as gateways write it, in a quarter of the time of a parser: a batch `{machineId, samples}`, a
 * sample with its machineId, an array of these, or, in a body, one of these per line. Plain are ASCII strings without escapes, times in UTC and
 * the fields of `PlainSample`. For anything else it returns `unknown`; the caller then decodes the whole JSON with `decodeJson` or `readBody`.
 */
export class PlainSamples {
  readonly #bytes: Buffer
  readonly #instants: PlainInstants
  readonly #maxObjects: number
  readonly #mayBeLines: boolean
  #at = 0
  #state: 'start' | 'object' | 'sample' | 'done' | 'unknown' = 'start'
  #isArray = false
  /** Objects so far, and where the last one at the top level began: if there is more than one, each must be on one line. */
  #objects = 0
  #topObjects = 0
  #topStart = 0
  #hasBreak = false
  /** Index of the first line feed after some object; `Infinity`: there is none. */
  #breakAt = -1
  #machineId = ''
  readonly #sample: Mutable<PlainSample>
  /** Shape of the previous sample, if it is stored. */
  #shape: SampleShape | null = null
  /** The bytes before the machine's id in a sample outside a batch, if the id is its first member. */
  #beforeId: Uint8Array | null = null

  /** JSON that may exceed a bound is `unknown`. `mayBeLines`: it may have more than one value, each on its line. */
  constructor(json: Buffer, bounds: JsonBounds, mayBeLines: boolean) {
    this.#mayBeLines = mayBeLines
    this.#bytes = json
    this.#instants = new PlainInstants(json)
    this.#sample = { machineId: '', atUs: 0, names: noNames, value: null, json, valueStart: 0, valueEnd: 0 }
    // A sample has at most about fifteen values and brackets.
    this.#maxObjects = Math.min(bounds.elements, bounds.values >> 4)
    const fits = bounds.depth >= 4 && bounds.keys >= 8 && bounds.keyBytes >= 16 && bounds.textBytes >= maxTextLength
    if (!fits || json.length > bounds.bytes) this.#state = 'unknown'
  }

  /**
   * Visits at most this number of further samples, and starts none after this number of bytes; returns `more` until the JSON is read. `visit`
   * returns false for a sample that makes the JSON `unknown`.
   */
  read(
    maxSamples: number,
    visit: (sample: PlainSample) => boolean,
    maxBytes: number = Infinity,
  ): 'more' | 'done' | 'unknown' {
    const endAt = this.#at + maxBytes
    for (let left = maxSamples; left > 0 && this.#at < endAt;) {
      if (this.#state === 'start') this.#begin()
      else if (this.#state === 'done' || this.#state === 'unknown') return this.#state
      else if (!this.#object(this.#state === 'object', visit)) return (this.#state = 'unknown')
      else left--
      if (this.#objects > this.#maxObjects) this.#state = 'unknown'
    }
    return 'more'
  }

  #begin(): void {
    this.#isArray = this.#skip() === openArray
    if (this.#isArray) this.#at++
    this.#state = this.#skip() === openObject ? 'object' : 'unknown'
  }

  /** Reads a sample, or a batch up to its samples. `isTop`: it is not in a batch. */
  #object(isTop: boolean, visit: (sample: PlainSample) => boolean): boolean {
    if (this.#skip() !== openObject) return false
    const start = this.#at
    const shape = this.#shape
    if (shape !== null && (isTop ? this.#shapedTop(shape) : this.#shaped(shape))) {
      this.#objects++
      if (isTop) this.#beginTop(start)
      return this.#end(isTop, visit)
    }
    if (isTop) {
      this.#beginTop(start)
      this.#machineId = ''
    }
    this.#at++
    this.#objects++
    const sample = this.#sample
    const names: Mutable<RawNames> = { key: undefined, type: undefined, subtype: undefined, category: undefined }
    const offsets = { start, timeStart: 0, timeEnd: 0, valueStart: 0, valueEnd: 0, end: 0 }
    let [seen, idStart, idEnd, next] = [0, 0, 0, comma]
    while (next === comma) {
      const field = this.#name()
      if (field === 'unknown' || (seen & fieldBits[field]) !== 0) return false
      seen |= fieldBits[field]
      if (field === 'samples')
        return isTop && seen === (fieldBits.machineId | fieldBits.samples) && this.#beginSamples()
      if (field === 'timestamp') {
        offsets.timeStart = this.#at + 1
        sample.atUs = this.#time()
        if (Number.isNaN(sample.atUs)) return false
        offsets.timeEnd = this.#at
      } else if (field === 'value') {
        offsets.valueStart = this.#at
        if (!this.#value()) return false
        offsets.valueEnd = this.#at
      } else {
        const textStart = this.#at + 1
        const text = this.#text()
        if (text === undefined) return false
        if (field !== 'machineId') names[field] = text ?? undefined
        else if (isTop) {
          this.#machineId = text ?? ''
          if (seen === fieldBits.machineId) [idStart, idEnd] = [textStart, this.#at - 1]
        } else return false
      }
      next = this.#skip()
      this.#at++
    }
    if (next !== closeObject || (seen & requiredFields) !== requiredFields || this.#machineId === '') return false
    sample.machineId = this.#machineId
    sample.names = names
    offsets.end = this.#at
    if (!isTop) this.#store(offsets)
    else if (idEnd > 0) this.#storeTop(start, idStart, { ...offsets, start: idEnd })
    return this.#end(isTop, visit)
  }

  #beginTop(start: number): void {
    this.#topStart = start
    this.#topObjects++
  }

  #end(isTop: boolean, visit: (sample: PlainSample) => boolean): boolean {
    return visit(this.#sample) && (isTop ? this.#afterTop() : this.#afterSample())
  }

  /** Reads a sample outside a batch that differs from an earlier one in machine, timestamp and value only. As `#shaped`. */
  #shapedTop(last: SampleShape): boolean {
    const before = this.#beforeId
    const start = this.#at
    if (before === null || !isAt(this.#bytes, start, before)) return false
    const machineId = nameAt(this.#bytes, start + before.length)
    if (machineId === undefined || machineId === '') return false
    this.#at = start + before.length + machineId.length
    const batchId = this.#machineId
    this.#machineId = machineId
    if (this.#shaped(last)) return true
    this.#machineId = batchId
    this.#at = start
    return false
  }

  /** Reads a sample that differs from an earlier one in timestamp and value only; false: it is not such a sample, and nothing was read. */
  #shaped(last: SampleShape): boolean {
    const bytes = this.#bytes
    const start = this.#at
    const shape = this.#shapedValue(last)
    if (shape === null || !isAt(bytes, this.#at, shape.tail)) {
      this.#at = start
      return false
    }
    this.#at += shape.tail.length
    this.#sample.machineId = this.#machineId
    this.#sample.names = shape.names
    last.next = shape
    this.#shape = shape
    return true
  }

  /** Reads the start of a sample, up to the end of its value. */
  #shapedValue({ head, next }: SampleShape): SampleShape | null {
    const bytes = this.#bytes
    if (!isAt(bytes, this.#at, head)) return null
    this.#at += head.length - 1
    const atUs = this.#time()
    if (Number.isNaN(atUs)) return null
    const isNext = next !== null && next.head === head && isAt(bytes, this.#at, next.middle)
    const shape = isNext ? next : findShape(bytes, head, this.#at)
    if (shape === null) return null
    this.#at += shape.middle.length
    if (!this.#value()) return null
    this.#sample.atUs = atUs
    return shape
  }

  /** Stores the shape of a sample outside a batch: from the last quote of its machine's id on, as that of a sample in a batch. */
  #storeTop(start: number, idStart: number, offsets: SampleOffsets): void {
    const before = this.#beforeId
    if (before?.length !== idStart - start || !isAt(this.#bytes, start, before))
      this.#beforeId = copyOf(this.#bytes, start, idStart)
    this.#store(offsets)
  }

  #store(offsets: SampleOffsets): void {
    const shape = storeShape(this.#bytes, offsets, this.#sample.names)
    if (shape === null) return
    this.#sample.names = shape.names
    if (this.#shape !== null) this.#shape.next = shape
    this.#shape = shape
  }

  #beginSamples(): boolean {
    if (this.#machineId === '' || this.#skip() !== openArray) return false
    this.#at++
    this.#state = 'sample'
    return this.#skip() === openObject
  }

  #afterSample(): boolean {
    const next = this.#skip()
    this.#at++
    if (next === comma) return this.#skip() === openObject
    if (next !== closeArray || this.#skip() !== closeObject) return false
    this.#at++
    return this.#afterTop()
  }

  #afterTop(): boolean {
    const end = this.#at
    const next = this.#skip()
    this.#state = 'object'
    if (this.#isArray) {
      this.#at++
      if (next === comma) return this.#skip() === openObject
      if (next !== closeArray || this.#skip() !== nothing) return false
      this.#state = 'done'
      return true
    }
    if (this.#breakAt < this.#topStart) {
      const found = this.#bytes.indexOf(lineFeed, this.#topStart)
      this.#breakAt = found < 0 ? Infinity : found
    }
    this.#hasBreak ||= this.#breakAt < end
    if (this.#topObjects > 1 && (this.#hasBreak || !this.#mayBeLines)) return false
    if (next === nothing) {
      this.#state = 'done'
      return true
    }
    if (next !== openObject) return false
    for (let at = end; at < this.#at; at++) if (this.#bytes[at] === lineFeed) return true
    return false
  }

  /** Skips white space and returns the byte after it; `nothing` at the end, `tooFar` after too much white space. */
  #skip(): number {
    const last = this.#at + maxBlankBytes
    for (; this.#at <= last; this.#at++) {
      const byte = this.#bytes[this.#at] ?? nothing
      if (byte !== space && byte !== lineFeed && byte !== tab && byte !== carriageReturn) return byte
    }
    return tooFar
  }

  /** Reads the name of a member and its colon. */
  #name(): PlainField {
    if (this.#skip() !== quote) return 'unknown'
    const start = this.#at + 1
    const field = fieldAt(this.#bytes, start)
    const end = start + field.length
    if (field === 'unknown' || this.#bytes[end] !== quote) return 'unknown'
    this.#at = end + 1
    if (this.#skip() !== colon) return 'unknown'
    this.#at++
    this.#skip()
    return field
  }

  /** Reads a name or null; undefined: it is neither, or not plain. */
  #text(): string | null | undefined {
    if (this.#bytes[this.#at] === quote) {
      const text = nameAt(this.#bytes, this.#at + 1)
      if (text !== undefined) this.#at += text.length + 2
      return text
    }
    if (!isTextAt(this.#bytes, this.#at, 'null')) return undefined
    this.#at += 4
    return null
  }

  /** Reads a timestamp, in µs; NaN: it has another form. */
  #time(): number {
    if (this.#bytes[this.#at] !== quote) return Number.NaN
    const end = textEnd(this.#bytes, this.#at + 1)
    if (end < 0) return Number.NaN
    const atUs = this.#instants.read(this.#at + 1, end)
    if (!Number.isNaN(atUs)) this.#at = end + 1
    return atUs
  }

  /** Reads the value of the sample; false: it is neither a plain string nor a finite number. */
  #value(): boolean {
    const bytes = this.#bytes
    const sample = this.#sample
    const start = this.#at
    sample.value = null
    if (bytes[start] === quote) {
      const end = textEnd(bytes, start + 1)
      if (end < 0) return false
      this.#at = end + 1
      sample.valueStart = start + 1
      sample.valueEnd = end
      return true
    }
    const end = numberEnd(bytes, start)
    if (end < 0) return false
    this.#at = end
    sample.valueStart = start
    sample.valueEnd = end
    if (isCanonicalNumber(bytes, start, end)) return true
    const value = Number(bytes.toString('latin1', start, end))
    sample.value = String(value)
    return Number.isFinite(value)
  }
}

const noNames: RawNames = { key: undefined, type: undefined, subtype: undefined, category: undefined }

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
const colon = 0x3a
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
