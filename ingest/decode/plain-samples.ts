import type { JsonBounds } from '../../shared/json/bounds.ts'
import { fieldAt, fieldBits, neededFields, type PlainField } from './plain-fields.ts'
import { PlainInstants } from './plain-instants.ts'
import { PlainTexts } from './plain-texts.ts'
import { hasBytes, isCanonical, numberEnd } from './plain-tokens.ts'
import { findShape, isAt, keepShape, type RawNames, type SamplePlace, type SampleShape } from './sample-shapes.ts'

/** A sample as it came, good until the next one is read. */
export interface PlainSample {
  readonly machineId: string
  readonly atUs: number
  readonly names: RawNames
  /** A number as JavaScript writes it, where it came otherwise; null: the value is these bytes of the JSON as they stand, ASCII. */
  readonly value: string | null
  readonly json: Buffer
  readonly valueStart: number
  readonly valueEnd: number
}

/**
 * Reads samples from the bytes of JSON as gateways write them, a quarter of the time of a parser: a batch `{machineId, samples}`, a sample
 * with its machineId, an array of these, or, in a body, one a line. It knows texts of ASCII without escapes, times in UTC, and the fields of a
 * `PlainSample`. Anything else makes it answer `unknown`; the caller then decodes the whole JSON with `decodeJson` or `readBody`.
 */
export class PlainSamples {
  readonly #bytes: Buffer
  readonly #texts: PlainTexts
  readonly #instants: PlainInstants
  readonly #most: number
  readonly #mayBeLines: boolean
  #at = 0
  #state: 'start' | 'object' | 'sample' | 'done' | 'unknown' = 'start'
  #isList = false
  /** Objects so far, and where the last one on the highest level began: with more than one, each must stand on one line. */
  #objects = 0
  #topObjects = 0
  #topStart = 0
  #hasBreak = false
  /** The first end of a line from some object on; `Infinity`: there is none. */
  #breakAt = -1
  #machineId = ''
  readonly #sample: { -readonly [Field in keyof PlainSample]: PlainSample[Field] }
  /** That of the sample before, where it is known. */
  #shape: SampleShape | null = null
  /** The bytes up to the id of a sample that came alone, where its machine is its first member. */
  #beforeId: Uint8Array | null = null
  #field: PlainField = 'unknown'
  /** Whether the last text that was read is not known. */
  #isBad = false

  /** JSON that may exceed a bound is not known. `mayBeLines`: whether more than one value may come, each on a line. */
  constructor(json: Buffer, bounds: JsonBounds, mayBeLines: boolean) {
    this.#mayBeLines = mayBeLines
    this.#bytes = json
    this.#texts = new PlainTexts(json)
    this.#instants = new PlainInstants(json)
    const names = { key: undefined, type: undefined, subtype: undefined, category: undefined }
    this.#sample = { machineId: '', atUs: 0, names, value: null, json, valueStart: 0, valueEnd: 0 }
    // A sample has some fifteen values and brackets at most.
    this.#most = Math.min(bounds.elements, bounds.values >> 4)
    const fitting = bounds.depth >= 4 && bounds.keys >= 8 && bounds.keyBytes >= 16 && bounds.textBytes >= mostTextBytes
    if (!fitting || json.length > bounds.bytes) this.#state = 'unknown'
  }

  /**
   * Visits so many samples more, at most, and begins none after so many bytes; `visit` answers false where it does not know one. Answers
   * `more` until the JSON is read.
   */
  read(
    most: number,
    visit: (sample: PlainSample) => boolean,
    mostBytes: number = Infinity,
  ): 'more' | 'done' | 'unknown' {
    const endAt = this.#at + mostBytes
    for (let left = most; left > 0 && this.#at < endAt;) {
      if (this.#state === 'start') this.#begin()
      else if (this.#state === 'done' || this.#state === 'unknown') return this.#state
      else if (!this.#object(this.#state === 'object', visit)) return (this.#state = 'unknown')
      else left--
      if (this.#objects > this.#most) this.#state = 'unknown'
    }
    return 'more'
  }

  #begin(): void {
    this.#isList = this.#skip() === openArray
    if (this.#isList) this.#at++
    this.#state = this.#skip() === openObject ? 'object' : 'unknown'
  }

  /** A sample, or a batch up to its samples. `isTop`: it is none of a batch's samples. */
  #object(isTop: boolean, visit: (sample: PlainSample) => boolean): boolean {
    if (this.#skip() !== openObject) return false
    const start = this.#at
    if (this.#shape !== null && (isTop ? this.#shapedAlone(this.#shape) : this.#shaped(this.#shape))) {
      this.#objects++
      if (!isTop) return visit(this.#sample) && this.#afterSample()
      this.#topStart = start
      this.#topObjects++
      return visit(this.#sample) && this.#afterTop()
    }
    if (isTop) {
      this.#topStart = this.#at
      this.#topObjects++
      this.#machineId = ''
    }
    this.#at++
    this.#objects++
    let seen = 0
    let atUs = 0
    let key: string | undefined
    let type: string | undefined
    let subtype: string | undefined
    let category: string | undefined
    let [timeStart, timeEnd, valueStart, valueEnd] = [0, 0, 0, 0]
    let [idStart, idEnd] = [0, 0]
    for (;;) {
      const bit = this.#name()
      if (bit === 0 || (seen & bit) !== 0) return false
      const isFirstSamples = isTop && this.#field === 'samples' && seen === fieldBits.machineId
      seen |= bit
      switch (this.#field) {
        case 'timestamp':
          timeStart = this.#at + 1
          atUs = this.#time()
          if (Number.isNaN(atUs)) return false
          timeEnd = this.#at
          break
        case 'key':
          key = this.#text()
          break
        case 'type':
          type = this.#text()
          break
        case 'subtype':
          subtype = this.#text()
          break
        case 'category':
          category = this.#text()
          break
        case 'value':
          valueStart = this.#at
          if (!this.#value()) return false
          valueEnd = this.#at
          break
        case 'machineId':
          if (!isTop) return false
          idStart = this.#at + 1
          this.#machineId = this.#text() ?? ''
          if (seen === fieldBits.machineId) idEnd = this.#at - 1
          break
        case 'samples':
          return isFirstSamples && this.#beginSamples()
        case 'unknown':
          return false
      }
      if (this.#isBad) return false
      const next = this.#skip()
      this.#at++
      if (next === closeObject) break
      if (next !== comma) return false
    }
    if ((seen & neededFields) !== neededFields || this.#machineId === '') return false
    const sample = this.#sample
    sample.machineId = this.#machineId
    sample.atUs = atUs
    sample.names = { key, type, subtype, category }
    const place = { timeStart, timeEnd, valueStart, valueEnd, end: this.#at }
    if (!isTop) this.#keep({ start, ...place })
    else if (idEnd > 0) this.#keepAlone(start, idStart, { start: idEnd, ...place })
    if (!visit(sample)) return false
    return isTop ? this.#afterTop() : this.#afterSample()
  }

  /** Reads a sample that came alone and is written as one before, but for its machine. As `#shaped`. */
  #shapedAlone(last: SampleShape): boolean {
    const before = this.#beforeId
    const start = this.#at
    if (before === null || !isAt(this.#bytes, start, before)) return false
    const machineId = this.#texts.read(start + before.length)
    if (machineId === undefined || machineId === '') return false
    this.#at = start + before.length + machineId.length
    const batch = this.#machineId
    this.#machineId = machineId
    if (this.#shaped(last)) return true
    this.#machineId = batch
    this.#at = start
    return false
  }

  /** Reads a sample of a batch that is written as one before; false: it is not, and nothing was read. */
  #shaped(last: SampleShape): boolean {
    const bytes = this.#bytes
    const start = this.#at
    const shape = this.#readShaped(last)
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

  /** Reads up to the value's end. */
  #readShaped({ head, next }: SampleShape): SampleShape | null {
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

  /** Keeps how a sample that came alone is written: from its id's last quote on as that of a batch. */
  #keepAlone(start: number, idStart: number, place: SamplePlace): void {
    const before = this.#beforeId
    if (before?.length !== idStart - start || !isAt(this.#bytes, start, before))
      this.#beforeId = Uint8Array.prototype.slice.call(this.#bytes, start, idStart)
    this.#keep(place)
  }

  #keep(place: SamplePlace): void {
    const shape = keepShape(this.#bytes, place, this.#sample.names)
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
    if (this.#isList) {
      this.#at++
      if (next === comma) return this.#skip() === openObject
      if (next !== closeArray || this.#skip() !== nothing) return false
      this.#state = 'done'
      return true
    }
    if (this.#breakAt < this.#topStart) {
      const found = this.#bytes.indexOf(lineEnd, this.#topStart)
      this.#breakAt = found < 0 ? Infinity : found
    }
    this.#hasBreak ||= this.#breakAt < end
    if (this.#topObjects > 1 && (this.#hasBreak || !this.#mayBeLines)) return false
    if (next === nothing) {
      this.#state = 'done'
      return true
    }
    if (next !== openObject) return false
    for (let at = end; at < this.#at; at++) if (this.#bytes[at] === lineEnd) return true
    return false
  }

  /** The first byte that is no white space, where `at` is then; `nothing` at the end, `tooFar` after too much white space. */
  #skip(): number {
    const last = this.#at + mostBlankBytes
    for (; this.#at <= last; this.#at++) {
      const byte = this.#bytes[this.#at] ?? nothing
      if (byte !== space && byte !== lineEnd && byte !== tab && byte !== carriageReturn) return byte
    }
    return tooFar
  }

  /** Reads the name of a member and its colon; its bit, or 0 where it is not known. */
  #name(): number {
    if (this.#skip() !== quote) return 0
    const bytes = this.#bytes
    const start = this.#at + 1
    const field = fieldAt(bytes, start)
    this.#field = field
    const end = start + field.length
    if (field === 'unknown' || bytes[end] !== quote) return 0
    this.#at = end + 1
    if (this.#skip() !== colon) return 0
    this.#at++
    this.#skip()
    return fieldBits[field]
  }

  /** A text's end; -1 where it is not plain, or longer than a sample's text may be. */
  #textEnd(): number {
    const bytes = this.#bytes
    const last = this.#at + 1 + mostTextBytes
    for (let at = this.#at + 1; at <= last; at++) {
      const byte = bytes[at] ?? 0
      if (byte === quote) return at
      if (byte < space || byte > lastAscii || byte === backslash) return -1
    }
    return -1
  }

  /** A text that comes again and again; undefined: null. */
  #text(): string | undefined {
    this.#isBad = false
    if (this.#bytes[this.#at] !== quote) {
      this.#isBad = !hasBytes(this.#bytes, this.#at, 'null')
      this.#at += 4
      return undefined
    }
    const text = this.#texts.read(this.#at + 1)
    if (text === undefined) this.#isBad = true
    else this.#at += text.length + 2
    return text
  }

  /** Reads an instant, in µs; NaN: it has another form. */
  #time(): number {
    const end = this.#textEnd()
    if (end < 0 || this.#bytes[this.#at] !== quote) return Number.NaN
    const atUs = this.#instants.read(this.#at + 1, end)
    if (!Number.isNaN(atUs)) this.#at = end + 1
    return atUs
  }

  /** Reads the value of the sample; false: it is neither a text nor a number. */
  #value(): boolean {
    const bytes = this.#bytes
    const sample = this.#sample
    const start = this.#at
    sample.value = null
    if (bytes[start] === quote) {
      const end = this.#textEnd()
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
    if (isCanonical(bytes, start, end)) return true
    const value = Number(this.#texts.slice(start, end))
    sample.value = String(value)
    return Number.isFinite(value)
  }
}

/** No text of a sample may be longer. */
const mostTextBytes = 16_384
/** Senders that indent their JSON write fewer between two tokens. */
const mostBlankBytes = 1_000

const nothing = -1
const tooFar = -2
const tab = 0x09
const lineEnd = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openArray = 0x5b
const backslash = 0x5c
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const lastAscii = 0x7f
