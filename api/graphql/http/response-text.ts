import { toResponseError } from './errors.ts'
import type { ResponseBudget } from '../run/response-budget.ts'
import { writeJson } from '../../json/write-json.ts'
import { timeLimitError } from '../run/root-resolver.ts'

export interface ResponseTextOptions {
  /** Limits the size of the response and the memory of all responses. */
  readonly budget: ResponseBudget
  readonly maxBytes: number
  /** Aborts when the client disconnects or the request times out. */
  readonly signal: AbortSignal
  /** Whether the request has reached its time limit. */
  readonly isLate: () => boolean
}

/** The JSON text of one HTTP response, with the result of an operation or an array of results. */
export class ResponseText {
  readonly #options: ResponseTextOptions
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(options: ResponseTextOptions) {
    this.#options = options
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Appends a short text regardless of the size limit. */
  append(text: string): void {
    this.#push(Buffer.from(text))
  }

  /**
   * Appends the result of an operation, or an error if the response becomes too large, the request times out or the
   * client disconnects. Never rejects.
   */
  async appendResult(result: object): Promise<void> {
    const { signal, isLate } = this.#options
    const before = { chunks: this.#chunks.length, bytes: this.#bytes }
    try {
      signal.throwIfAborted()
      await writeJson(result, chunk => this.#pushLimited(chunk), { signal })
    } catch (error) {
      this.#chunks = this.#chunks.slice(0, before.chunks)
      this.#bytes = before.bytes
      this.append(JSON.stringify({ errors: [toResponseError(isLate() ? timeLimitError() : error)], data: null }))
    }
  }

  #pushLimited(chunk: Buffer): void {
    const { budget, maxBytes } = this.#options
    if (this.#bytes + chunk.length > maxBytes) budget.throwTooLarge()
    budget.reserve(chunk.length)
    this.#push(chunk)
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }
}
