import { LogUnavailable, type Follower, type Log } from '../log/log.ts'
import { followRecords } from '../processors/records/follow.ts'
import { loadRecords } from '../processors/records/load.ts'
import type { StoredRecords } from '../schema/commands/stored-records.ts'
import type { ReachedOffset } from '../shared/async/reached-offset.ts'
import { withTimeout } from '../shared/async/with-timeout.ts'
import type { Records } from '../processors/records/records.ts'

const catchUpWithinMs = 5_000

export interface FollowedRecordsOptions {
  readonly log: Log
  readonly stored: StoredRecords
  /** Empty; `start` fills them. */
  readonly records: Records
  /** See `followRecords`. */
  readonly projected: ReachedOffset
}

/** The records of this process. `start` loads them from the store; then they follow the log. */
export class FollowedRecords {
  readonly #options: FollowedRecordsOptions
  #following: Promise<Follower> | null = null
  #loadedOffset = Infinity

  constructor(options: FollowedRecordsOptions) {
    this.#options = options
  }

  /**
   * Lets the records start in their state after the entry at `offset` (-1: before the first entry), although the store
   * has later ones: listeners receive the later changes. Call it before `start`.
   */
  startAfter(offset: number): void {
    this.#loadedOffset = offset
  }

  /** Resolves when the records contain every entry that the log has at the first call. The tables must exist. */
  async start(): Promise<void> {
    await (this.#following ??= this.#start())
  }

  async #start(): Promise<Follower> {
    const { log, stored, records, projected } = this.#options
    const position = await loadRecords(log, stored, records, this.#loadedOffset)
    if (position) {
      records.continueAfter(position)
      projected.reach(position.commandOffset)
    }
    return followRecords(log, records, projected)
  }

  /**
   * Resolves when the records contain every change that was answered before the call. Called before a reference is resolved that
   * another process may have just written. Rejects with `LogUnavailable` after a few seconds.
   */
  async catchUp(): Promise<void> {
    const following = this.#following
    if (!following) return
    const late = (): never => {
      throw new LogUnavailable('Timed out reading records from the log')
    }
    const caughtUp = following.then(follower => follower.catchUp())
    await withTimeout(catchUpWithinMs, caughtUp, late, { ref: false })
  }

  async stop(): Promise<void> {
    const follower = await this.#following?.catch(() => null)
    await follower?.stop()
  }
}
