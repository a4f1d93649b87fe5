/**
 * Commits offsets of one partition for one group member: one at a time, always the highest requested offset, so that a
 * late repetition never moves the group back.
 */
export class PartitionCommits {
  readonly #send: (nextOffset: () => number) => Promise<number>
  #requested = -1
  #committed = -1
  #inProgress: Promise<void> | null = null

  /** `send` commits the result of `nextOffset`, which it calls for each attempt, and returns the committed offset. */
  constructor(send: (nextOffset: () => number) => Promise<number>) {
    this.#send = send
  }

  /** Resolves when this offset or a higher one is committed; rejects when the commit in progress fails. */
  async commit(nextOffset: number): Promise<void> {
    this.#requested = Math.max(this.#requested, nextOffset)
    while (this.#committed < nextOffset) {
      this.#inProgress ??= this.#sendOnce().finally(() => (this.#inProgress = null))
      await this.#inProgress
    }
  }

  async #sendOnce(): Promise<void> {
    this.#committed = Math.max(this.#committed, await this.#send(() => this.#requested))
  }
}
