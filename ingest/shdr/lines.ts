import { isUtf8 } from 'node:buffer'

const lineFeed = 10

/** Limit of a line in bytes, without its line end. */
export const maxLineBytes = 1_048_576

/**
 * Splits bytes into lines, wherever the chunks begin and end. A line that is not UTF-8 is read as Latin-1, which older
 * adapters send. Holds at most one line.
 */
export class LineSplitter {
  /** Bytes of the last line, which has no end yet. */
  #pending = Buffer.alloc(256)
  #length = 0
  /** Whether the last line is above the limit: its bytes are skipped until its end. */
  #isSkipping = false

  /** Returns the lines that these bytes complete, without line ends; null: a line above the limit. */
  push(chunk: Uint8Array): readonly (string | null)[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const lines: (string | null)[] = []
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const line = this.#endLine(bytes, start, end)
      if (line !== undefined) lines.push(line)
      start = end + 1
    }
    if (this.#append(bytes, start, bytes.length)) lines.push(null)
    return lines
  }

  /** Returns the last line, if the bytes did not end with a line end. */
  end(): readonly string[] {
    const length = this.#length
    this.#length = 0
    this.#isSkipping = false
    return length > 0 ? [decode(this.#pending, 0, length)] : []
  }

  /** undefined: the rest of a line above the limit, which `push` has returned already. */
  #endLine(bytes: Buffer, start: number, end: number): string | null | undefined {
    if (this.#isSkipping) {
      this.#isSkipping = false
      return undefined
    }
    if (this.#length === 0) return end - start > maxLineBytes ? null : decode(bytes, start, end)
    const isTooLong = this.#append(bytes, start, end)
    const line = isTooLong ? null : decode(this.#pending, 0, this.#length)
    this.#length = 0
    this.#isSkipping = false
    return line
  }

  /** Stores bytes of the last line; returns whether they exceed the limit. */
  #append(bytes: Buffer, start: number, end: number): boolean {
    if (this.#isSkipping) return false
    const length = this.#length + end - start
    if (length > maxLineBytes) {
      this.#isSkipping = true
      this.#length = 0
      return true
    }
    if (length > this.#pending.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#pending.length))
      this.#pending.copy(larger, 0, 0, this.#length)
      this.#pending = larger
    }
    bytes.copy(this.#pending, this.#length, start, end)
    this.#length = length
    return false
  }
}

function decode(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end)
  return text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end)) ? bytes.toString('latin1', start, end) : text
}
