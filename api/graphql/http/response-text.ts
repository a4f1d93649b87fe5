import { shownError } from './errors.ts'
import type { ResponseBudget } from '../run/response-budget.ts'
import { writeJson } from '../run/write-json.ts'
import { tookTooLong } from '../run/root-resolver.ts'

export interface ResponseTextOptions {
  /** Limits the size of the response and the memory of all responses. */
  readonly budget: ResponseBudget
  readonly maxBytes: number
  /** Aborts when the client disconnects or the request times out. */
  readonly signal: AbortSignal
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
  text(text: string): void {
    this.#push(Buffer.from(text))
  }

  /**
   * Appends the result of an operation, or an error if the response becomes too large, the request times out or the
   * client disconnects. Never rejects.
   */
  async result(result: object): Promise<void> {
    const { signal, isLate } = this.#options
    const before = { chunks: this.#chunks.length, bytes: this.#bytes }
    try {
      signal.throwIfAborted()
      await writeJson(result, chunk => this.#limited(chunk), { signal })
    } catch (error) {
      this.#chunks = this.#chunks.slice(0, before.chunks)
      this.#bytes = before.bytes
      this.text(JSON.stringify({ errors: [shownError(isLate() ? tookTooLong() : error)], data: null }))
    }
  }

  #limited(chunk: Buffer): void {
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
