import { LogUnavailable, type Follower, type Log } from '../log/log.ts'
import { followRecords } from '../processors/records/follow.ts'
import type { ReachedOffset } from '../shared/async/reached-offset.ts'
import { withTimeout } from '../shared/async/with-timeout.ts'
import type { Records } from '../processors/records/records.ts'

const catchUpWithinMs = 5_000

/** The records of this process. After `start`, they follow the log. */
export class FollowedRecords {
  readonly #log: Log
  readonly #records: Records
  readonly #projected: ReachedOffset
  #follower: Follower | null = null

  /** `projected`: see `followRecords`. */
  constructor(log: Log, records: Records, projected: ReachedOffset) {
    this.#log = log
    this.#records = records
    this.#projected = projected
  }

  /**
   * Starts to follow the log; resolves when the records contain every entry that the log has now. Does nothing if it
   * has started.
   */
  async start(): Promise<void> {
    this.#follower ??= await followRecords(this.#log, this.#records, this.#projected)
  }

  /**
   * Resolves when the records contain every change that was answered before the call. Called before a reference is resolved that
   * another process may have just written. Rejects with `LogUnavailable` after a few seconds.
   */
  async catchUp(): Promise<void> {
    if (!this.#follower) return
    const late = (): never => {
      throw new LogUnavailable('Timed out reading records from the log')
    }
    await withTimeout(catchUpWithinMs, this.#follower.catchUp(), late, { ref: false })
  }

  async stop(): Promise<void> {
    await this.#follower?.stop()
  }
}
