import type { WireSample } from '../../schema/topics.ts'

/** Limits of a batch. */
const batchLimits = { samples: 2_000, bytes: 4 << 20 } as const

/** Samples of one call, or a part of them. */
interface Part {
  /** JSON of the samples, joined by commas. */
  readonly json: Buffer
  readonly count: number
  readonly atMs: number
  /** Called when the samples are acknowledged; null: further parts of the call follow. */
  readonly acknowledge: (() => void) | null
}

/** Samples that are sent together. */
export interface SampleBatch {
  /** JSON of the samples, joined by commas; empty: no samples. */
  readonly json: Buffer
  readonly bytes: number
  /** Called when all samples are acknowledged. */
  readonly acknowledge: () => void
}

/** Samples that wait to be sent, in order. */
export class SampleQueue {
  readonly #parts: Part[] = []
  #count = 0
  #bytes = 0

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  /** Whether a batch is full. */
  get hasBatch(): boolean {
    return this.#count >= batchLimits.samples || this.#bytes >= batchLimits.bytes
  }

  /** When the first samples were added, ms. */
  get sinceMs(): number {
    return this.#parts[0]?.atMs ?? Infinity
  }

  /** Adds the samples of a call at a time; returns their bytes. */
  add(samples: readonly WireSample[], atMs: number, acknowledge: () => void): number {
    let texts: string[] = []
    let [length, bytes] = [0, 0]
    const cut = (last: (() => void) | null) => {
      const part = { json: Buffer.from(texts.join()), count: texts.length, atMs, acknowledge: last }
      this.#parts.push(part)
      this.#count += part.count
      this.#bytes += part.json.length
      bytes += part.json.length
      texts = []
      length = 0
    }
    for (const sample of samples) {
      const text = JSON.stringify(sample)
      if (texts.length >= batchLimits.samples || length + text.length > batchLimits.bytes) cut(null)
      texts.push(text)
      length += text.length
    }
    cut(acknowledge)
    return bytes
  }

  /** Removes the next samples, up to the limits of a batch. */
  take(): SampleBatch {
    const parts: Part[] = []
    let [count, bytes] = [0, 0]
    for (const part of this.#parts) {
      const isFull = count + part.count > batchLimits.samples || bytes + part.json.length > batchLimits.bytes
      if (parts.length > 0 && isFull) break
      parts.push(part)
      count += part.count
      bytes += part.json.length
    }
    this.#parts.splice(0, parts.length)
    this.#count -= count
    this.#bytes -= bytes
    const texts = parts.filter(({ count: own }) => own > 0).flatMap(({ json }) => [comma, json])
    return {
      json: Buffer.concat(texts.slice(1)),
      bytes,
      acknowledge: () => {
        for (const part of parts) part.acknowledge?.()
      },
    }
  }

  clear(): void {
    this.#parts.length = 0
    this.#count = 0
    this.#bytes = 0
  }
}

const comma = Buffer.from(',')
