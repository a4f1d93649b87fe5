import { parseInstantUs } from '../../shared/time/instant.ts'
import { isDigit } from './plain-tokens.ts'

/** Reads timestamps from JSON, written as `YYYY-MM-DDTHH:mm:ss[.f…]Z`. */
export class PlainInstants {
  readonly #json: Buffer
  #minuteAt = -1
  #minuteUs = 0

  constructor(json: Buffer) {
    this.#json = json
  }

  /** Returns the timestamp in these bytes, in µs; NaN: it has another form. Consecutive timestamps often share their minute. */
  read(start: number, end: number): number {
    const bytes = this.#json
    if (end - start < 20 || bytes[end - 1] !== zulu) return Number.NaN
    if (this.#minuteAt < 0 || !isSame(bytes, this.#minuteAt, start, minuteBytes)) {
      if (!isMinute(bytes, start)) return Number.NaN
      const minuteUs = parseInstantUs(`${bytes.toString('latin1', start, start + minuteBytes)}00Z`)
      if (minuteUs === null) return Number.NaN
      this.#minuteUs = minuteUs
      this.#minuteAt = start
    }
    const tens = bytes[start + 17] ?? 0
    const ones = bytes[start + 18] ?? 0
    if (!isDigit(tens) || !isDigit(ones) || tens > fiveDigit) return Number.NaN
    const fractionUs = end - start === 20 ? 0 : fractionOf(bytes, start + 19, end - 1)
    return this.#minuteUs + ((tens - zeroDigit) * 10 + ones - zeroDigit) * 1_000_000 + fractionUs
  }
}

/** Returns the microseconds of a fraction, from its point on; digits after the sixth do not count. NaN: it has another form. */
function fractionOf(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== point || end - start < 2) return Number.NaN
  let us = 0
  let unit = 100_000
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (!isDigit(byte)) return Number.NaN
    us += unit * (byte - zeroDigit)
    unit = unit > 1 ? unit / 10 : 0
  }
  return us
}

function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[one + i] !== bytes[other + i]) return false
  return true
}

/** Length of `YYYY-MM-DDTHH:mm:`. */
const minuteBytes = 17

/** Whether the separators of a minute are at their indexes; false for hour 24, which the general decoder reads. */
function isMinute(bytes: Uint8Array, at: number): boolean {
  const isSeparated = bytes[at + 4] === dash && bytes[at + 7] === dash && bytes[at + 10] === tee
  const isEndOfDay = bytes[at + 11] === 0x32 && bytes[at + 12] === 0x34
  return isSeparated && bytes[at + 13] === colon && bytes[at + 16] === colon && !isEndOfDay
}

const dash = 0x2d
const point = 0x2e
const zeroDigit = 0x30
const fiveDigit = 0x35
const colon = 0x3a
const tee = 0x54
const zulu = 0x5a
