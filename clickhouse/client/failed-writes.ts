import type { ChdbConnection } from 'chdb/connection'
import { batchCalls } from '../../shared/async/batch-calls.ts'

/** Takes as much CPU time as `SELECT 1` with these settings, about a seventh of the smallest insert. No row: none has failed. */
const countQuery = `
  SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'
  SETTINGS max_threads = 1, enable_analyzer = 0`

interface FailedWritesOptions {
  /** Returns the number of failed writes; see `countFailedWrites`. */
  readonly count: () => Promise<number>
  /** Interval of checks, ms. */
  readonly checkEveryMs: number
  /** Called with the number of failed writes since the previous call. */
  readonly onFailure: (count: number) => void
}

/**
 * Finds failed writes of the engine in this process. The engine (chDB 26.7) ignores errors of `write`, such as those of
 * a full disk: it acknowledges an insert whose files are empty, and replaces parts by an empty merged part. But it
 * counts failed writes, and it checks the files of each part when it starts: a damaged merged part is then moved to
 * `detached`, and its sources are used again, unless `old_parts_lifetime` has passed.
 */
export class FailedWrites {
  readonly #options: FailedWritesOptions
  /** Shared by writes that end at the same time. */
  readonly #count: (argument: null) => Promise<number>
  readonly #timer: NodeJS.Timeout
  /** Number of failed writes that were reported. */
  #reported: number
  #check: Promise<void> | null = null

  private constructor(options: FailedWritesOptions, count: number) {
    this.#options = options
    this.#count = batchCalls(options.count)
    this.#reported = count
    this.#timer = setInterval(() => this.#startCheck(), options.checkEveryMs).unref()
  }

  static async watch(options: FailedWritesOptions): Promise<FailedWrites> {
    return new FailedWrites(options, await options.count())
  }

  /** Runs a statement that writes. Rejects if writes have failed since the last report before it: data may be missing. */
  async around<Result>(statement: () => Promise<Result>): Promise<Result> {
    const reported = this.#reported
    const result = await statement()
    if ((await this.#count(null)) === reported) return result
    this.#startCheck()
    throw new Error('The engine failed to write to its disk: written data may be missing')
  }

  /** Resolves when no check runs and none will start. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#check
  }

  /** Runs one check at a time; a failed one is repeated after an interval. */
  #startCheck(): void {
    this.#check ??= this.#report()
      .catch(() => undefined)
      .finally(() => (this.#check = null))
  }

  async #report(): Promise<void> {
    const count = await this.#count(null)
    if (count === this.#reported) return
    this.#options.onFailure(count - this.#reported)
    this.#reported = count
  }
}

/** Returns the number of writes to files that have failed in this process. */
export async function countFailedWrites({ chdb }: ChdbConnection): Promise<number> {
  const result = await chdb.queryAsync(countQuery, { format: 'TabSeparated' })
  return Number(result.text())
}
