import type { DiskRoom } from './room.ts'
import { sizeOf } from './folder.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'

export interface GrowthOptions {
  readonly room: DiskRoom
  readonly company: string
  /** The file that grows. */
  readonly path: string
  /** Aborted when nobody wants the file any more. */
  readonly signal?: AbortSignal | undefined
}

const lookEveryMs = 500

/**
 * Watches a file that is being written: what it takes counts while it grows, and the writing ends, by `signal`, where its company
 * has no more room.
 */
export class Growth {
  readonly #options: GrowthOptions
  readonly #ending = new AbortController()
  readonly #timer: NodeJS.Timeout
  #bytes = 0
  #isEnded = false

  constructor(options: GrowthOptions) {
    this.#options = options
    this.#timer = setInterval(() => neverRejects(this.#look()), lookEveryMs)
    options.signal?.addEventListener('abort', this.#forward, { once: true })
    if (options.signal?.aborted === true) this.#forward()
  }

  /** Aborted where the writing is to end. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Throws why the writing was ended, if it was. */
  throwIfEnded(): void {
    this.#ending.signal.throwIfAborted()
  }

  /** The file is complete, or gone: what it takes in the end. */
  end(bytes: number): void {
    clearInterval(this.#timer)
    this.#isEnded = true
    this.#options.signal?.removeEventListener('abort', this.#forward)
    this.#count(bytes)
  }

  async #look(): Promise<void> {
    const { room, company, path } = this.#options
    // A size that cannot be read now is read at the next look, or at the end.
    const bytes = (await sizeOf(path).catch(() => null)) ?? 0
    if (this.#isEnded) return
    this.#count(Math.max(this.#bytes, bytes))
    try {
      room.refuseWhereFull(company)
    } catch (error) {
      this.#ending.abort(error)
    }
  }

  #count(bytes: number): void {
    const { room, company } = this.#options
    room.add(company, bytes - this.#bytes)
    this.#bytes = bytes
  }

  readonly #forward = (): void => this.#ending.abort(this.#options.signal?.reason)
}
