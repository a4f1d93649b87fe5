/** Reads numbers and texts of a compact record. Throws a `RangeError` where it ends too soon, or a number is too large. */
export class CompactReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#at = start
  }

  get at(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  text(): string {
    const start = this.#at
    const length = this.number()
    if (length === 0) return ''
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new RangeError(`A text at byte ${start} of a record ends too late`)
    return this.#bytes.toString('utf8', from, this.#at)
  }

  number(): number {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('A record ends within a sample')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) break
      if (factor === largestFactor) throw new RangeError('A number of a record is too long')
    }
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('A number of a record is too large')
    return value
  }
}

/** Factor of the last byte that a number may have: eight bytes hold each safe integer. */
export const largestFactor = 0x80 ** 7
