import { Malformed } from './malformed.ts'

/** Reads the zigzag numbers and length-prefixed bytes of records. Each read throws `Malformed` if it ends after `end`. */
export class VarintReader {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Returns a signed number of up to 53 bits. */
  signed(end: number): number {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.at < end ? this.#bytes[this.at++] : undefined
      if (byte === undefined) throw new Malformed('The record is cut off')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) break
      if (factor > Number.MAX_SAFE_INTEGER / 0x80) throw new Malformed('A number of the record is too large')
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** Reads a length and returns the position after that many bytes. */
  lengthPrefixedEnd(end: number): number {
    const length = this.signed(end)
    if (length < 0 || length > end - this.at) throw new Malformed('The length of the record is damaged')
    return this.at + length
  }

  /** Returns length-prefixed bytes; null if the length is -1. */
  bytes(end: number): Buffer | null {
    const length = this.signed(end)
    if (length === -1) return null
    if (length < 0 || length > end - this.at) throw new Malformed('The length of a part of the record is damaged')
    const from = this.at
    this.at += length
    return this.#bytes.subarray(from, this.at)
  }
}
