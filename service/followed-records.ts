import { LogUnavailable, type Follower, type Log } from '../log/log.ts'
import { followRecords } from '../processors/records/follow.ts'
import { waitAtMost } from '../shared/async/wait-at-most.ts'
import type { Records } from '../processors/records/records.ts'

const catchUpWithinMs = 5_000

/** The records of this process, following the log from `start` on. */
export class FollowedRecords {
  readonly #log: Log
  readonly #records: Records
  #follower: Follower | null = null

  constructor(log: Log, records: Records) {
    this.#log = log
    this.#records = records
  }

  /** Resolves when everything that is in the log now is in the records; does nothing where they are followed already. */
  async start(): Promise<void> {
    this.#follower ??= await followRecords(this.#log, this.#records)
  }

  /**
   * Resolves when everything that is in the log now is in the records: for what speaks of a record that another process may have
   * written a moment ago. Rejects with `LogUnavailable` where the log can't tell within a few seconds.
   */
  async catchUp(): Promise<void> {
    if (!this.#follower) return
    const late = (): never => {
      throw new LogUnavailable('The records could not be followed in time')
    }
    await waitAtMost(catchUpWithinMs, this.#follower.catchUp(), late, { ref: false })
  }

  async stop(): Promise<void> {
    await this.#follower?.stop()
  }
}
