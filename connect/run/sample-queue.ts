import type { WireSample } from '../../schema/topics.ts'
import { batchLimits, joinTexts, textsOf } from '../buffer/batches.ts'

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
    const texts = textsOf(samples)
    for (const [index, text] of texts.entries())
      this.#push({ ...text, isBody: false, atMs, acknowledge: index === texts.length - 1 ? acknowledge : null })
    return texts.reduce((bytes, { json }) => bytes + json.length, 0)
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
    return {
      json: joinTexts(parts),
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
