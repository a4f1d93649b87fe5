import type { DiskQuota, GrowingFile } from './disk-quota.ts'
import { diskUsage } from './folder.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'

export interface GrowthOptions {
  readonly quota: DiskQuota
  readonly company: string
  readonly file: GrowingFile
  /** The folder of the file. */
  readonly path: string
  /** Aborts when the file is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

const lookEveryMs = 500

/**
 * Monitors a file that is being written: its disk space counts while it grows, and `signal` aborts the writing if its
 * company has no more space.
 */
export class FileSizeMonitor {
  readonly #options: GrowthOptions
  readonly #ending = new AbortController()
  readonly #timer: NodeJS.Timeout
  #isEnded = false

  constructor(options: GrowthOptions) {
    this.#options = options
    this.#timer = setInterval(() => neverRejects(this.#look()), lookEveryMs)
    options.signal?.addEventListener('abort', this.#forward, { once: true })
    if (options.signal?.aborted === true) this.#forward()
  }

  /** Aborts when the writing must end. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Throws the reason if the writing was aborted. */
  throwIfEnded(): void {
    this.#ending.signal.throwIfAborted()
  }

  /** The file is complete with this disk space, or deleted with 0. */
  end(bytes: number): void {
    clearInterval(this.#timer)
    this.#isEnded = true
    this.#options.signal?.removeEventListener('abort', this.#forward)
    this.#options.file.end(bytes)
  }

  async #look(): Promise<void> {
    const { quota, company, file, path } = this.#options
    // The next check repeats a failed read.
    const bytes = await diskUsage(path).catch(() => null)
    if (this.#isEnded || bytes === null) return
    file.resize(bytes)
    try {
      quota.requireSpace(company)
    } catch (error) {
      this.#ending.abort(error)
    }
  }

  readonly #forward = (): void => this.#ending.abort(this.#options.signal?.reason)
}
