import type { WireSample } from '../../schema/topics.ts'

/** Limits of a batch. */
const batchLimits = { samples: 2_000, bytes: 4 << 20 } as const

/** Samples of one call, or a part of them. */
interface Part {
  /** JSON of the samples, joined by commas; the bytes of a body. */
  readonly json: Buffer
  readonly isBody: boolean
  readonly count: number
  readonly atMs: number
  /** Called when the samples are acknowledged; null: further parts of the call follow. */
  readonly acknowledge: (() => void) | null
}

/** Samples that are sent together. */
export interface SampleBatch {
  /** JSON of the samples, joined by commas, or the bytes of one body; empty: no samples. */
  readonly json: Buffer
  readonly isBody: boolean
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
      const json = Buffer.from(texts.join())
      this.#push({ json, isBody: false, count: texts.length, atMs, acknowledge: last })
      bytes += json.length
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

  /** Adds a body of `POST /ingest/samples`, which is a batch of its own; returns its bytes. */
  addBody(body: Buffer, atMs: number, acknowledge: () => void): number {
    this.#push({ json: body, isBody: true, count: 0, atMs, acknowledge })
    return body.length
  }

  #push(part: Part): void {
    this.#parts.push(part)
    this.#count += part.count
    this.#bytes += part.json.length
  }

  /** Removes the next samples, up to the limits of a batch, or the next body. */
  take(): SampleBatch {
    const parts: Part[] = []
    let [count, bytes] = [0, 0]
    for (const part of this.#parts) {
      const isFull = count + part.count > batchLimits.samples || bytes + part.json.length > batchLimits.bytes
      const isApart = part.isBody || parts[0]?.isBody === true
      if (parts.length > 0 && (isFull || isApart)) break
      parts.push(part)
      count += part.count
      bytes += part.json.length
    }
    this.#parts.splice(0, parts.length)
    this.#count -= count
    this.#bytes -= bytes
    const [first] = parts
    if (first?.isBody === true)
      return { json: first.json, isBody: true, bytes, acknowledge: () => first.acknowledge?.() }
    const texts = parts.filter(({ count: own }) => own > 0).flatMap(({ json }) => [comma, json])
    return {
      json: Buffer.concat(texts.slice(1)),
      isBody: false,
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
