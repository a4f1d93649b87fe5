/** Approximate size of a chunk. */
export const chunkBytes = 65_536
/** Initial size of the buffer: a chunk, and space for what is written before the caller checks the length again. */
const usualBytes = chunkBytes + 8192
/** Replaces the buffer of a writer that has received only text. */
const noBytes = Buffer.allocUnsafeSlow(0)
/**
 * Space for a number: the longest one (`-1.2345678901234567e-300`, or a sign, `0.` and 16 decimals), and the bytes that
 * are written beyond its end.
 */
const numberBytes = 32

/**
 * A JSON text that is written many times. It is written four bytes at a time; the next text overwrites the bytes beyond
 * its end.
 */
export interface JsonChunk {
  readonly words: Uint32Array
  /** In bytes. */
  readonly length: number
}

export function jsonChunk(text: string): JsonChunk {
  const bytes = Buffer.from(text)
  const { length } = bytes
  const padded = Buffer.alloc(4 * Math.ceil(length / 4))
  padded.set(bytes)
  return { words: Uint32Array.from({ length: padded.length / 4 }, (_, i) => padded.readUInt32LE(4 * i)), length }
}

/** Writes JSON as UTF-8. Many numbers take a fraction of the time that concatenating and encoding texts takes. */
export class JsonWriter {
  #bytes = noBytes
  #view = noView
  #at = 0
  /** Text that precedes the bytes of the buffer. */
  #before = ''

  /** Approximate length of the text since the last call of `drain`. */
  get length(): number {
    return this.#at + this.#before.length
  }

  /** Whether there is enough text for a chunk. */
  get isFull(): boolean {
    return this.length >= chunkBytes
  }

  /**
   * Returns all text since the last call. It is a string, because many new buffers would cause frequent garbage
   * collection.
   */
  drain(): string {
    const text = this.#at === 0 ? this.#before : this.#before + this.#bytes.toString('utf8', 0, this.#at)
    this.#before = ''
    this.#at = 0
    return text
  }

  text(text: string): void {
    // Text that no number precedes stays text: writing it as bytes takes twice as long.
    if (this.#at === 0) this.#before += text
    else if (text.length > maxKept) this.#before = this.drain() + text
    else if (!this.#ascii(text)) {
      this.#makeRoom(3 * text.length)
      this.#at += this.#bytes.write(text, this.#at)
    }
  }

  /** Writes a text of ASCII characters; false: it has other characters, and nothing was written. */
  #ascii(text: string): boolean {
    this.#makeRoom(text.length)
    const at = this.#at
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return false
      this.#bytes[at + i] = code
    }
    this.#at = at + text.length
    return true
  }

  /** Writes a prepared JSON text. */
  chunk({ words, length }: JsonChunk): void {
    this.#makeRoom(4 * words.length)
    const view = this.#view
    let at = this.#at
    for (let i = 0; i < words.length; i++) {
      view.setUint32(at, words[i] ?? 0, true)
      at += 4
    }
    this.#at += length
  }

  /** Writes a value as `JSON.stringify` does. */
  value(value: number | string | null): void {
    if (typeof value === 'number') this.#number(value)
    else this.text(JSON.stringify(value))
  }

  #number(value: number): void {
    this.#makeRoom(numberBytes)
    const size = Math.abs(value)
    const whole = Math.floor(size)
    if (size < 1e15 && whole === size) {
      this.#sign(value)
      this.#whole(size)
      return
    }
    const decimals = size >= 1e5 ? 4 : size >= 10 ? 8 : size >= 1e-3 ? 12 : 16
    const scale = scales[decimals]
    const scaled = Math.round(size * scale)
    // Then the number has at most 15 digits, and no other number with as few digits is closer.
    if (size >= 1e-6 && scaled < 1e15 && scaled / scale === size) {
      this.#sign(value)
      this.#whole(whole)
      this.#bytes[this.#at++] = point
      this.#padded(scaled - whole * scale, decimals)
      while (this.#bytes[this.#at - 1] === zero) this.#at--
    } else this.text(JSON.stringify(value))
  }

  #sign(value: number): void {
    if (value < 0) this.#bytes[this.#at++] = minus
  }

  /** Writes an integer from 0 to below 1e15, without leading zeros. */
  #whole(value: number): void {
    if (value >= 1e4) {
      const high = Math.floor(value / 1e4)
      this.#whole(high)
      this.#fourDigits(value - high * 1e4, 0)
    } else this.#fourDigits(value, value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3)
  }

  /** Writes an integer with leading zeros; `digits` is a multiple of 4. */
  #padded(value: number, digits: number): void {
    let rest = value
    for (let at = this.#at + digits - 4; at >= this.#at; at -= 4) {
      const high = Math.floor(rest / 1e4)
      this.#view.setUint32(at, fourDigits[rest - high * 1e4] ?? 0, true)
      rest = high
    }
    this.#at += digits
  }

  /** Writes all four bytes, of which the next chunk overwrites the last `without`. */
  #fourDigits(value: number, without: number): void {
    this.#view.setUint32(this.#at, (fourDigits[value] ?? 0) >>> (8 * without), true)
    this.#at += 4 - without
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(usualBytes, 2 * this.#bytes.length, this.#at + bytes))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = larger
    this.#view = viewOf(larger)
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer<ArrayBuffer>): DataView {
  return new DataView(buffer, byteOffset, length)
}

const noView = viewOf(noBytes)

/** Maximum length of a text that is copied to the bytes, in UTF-16 units. */
const maxKept = 1000

const [minus, point, zero] = [0x2d, 0x2e, 0x30]
const scales = { 4: 1e4, 8: 1e8, 12: 1e12, 16: 1e16 }

/** Digits of each number from 0 to 9999, the first one in the lowest byte. */
const fourDigits = Uint32Array.from({ length: 10_000 }, (_, value) =>
  Buffer.from(String(value).padStart(4, '0')).readUInt32LE(),
)
