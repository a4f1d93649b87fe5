/**
 * Commits offsets of one partition for one group member: one at a time, always the highest requested offset, so that a
 * late repetition never moves the group back.
 */
export class PartitionCommits {
  readonly #send: (nextOffset: () => number) => Promise<number>
  #wanted = -1
  #made = -1
  #underWay: Promise<void> | null = null

  /** `send` commits the result of `nextOffset`, which it calls for each attempt, and returns the committed offset. */
  constructor(send: (nextOffset: () => number) => Promise<number>) {
    this.#send = send
  }

  /** Resolves when this offset or a higher one is committed; rejects when the commit in progress fails. */
  async commit(nextOffset: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, nextOffset)
    while (this.#made < nextOffset) {
      this.#underWay ??= this.#sendOnce().finally(() => (this.#underWay = null))
      await this.#underWay
    }
  }

  async #sendOnce(): Promise<void> {
    this.#made = Math.max(this.#made, await this.#send(() => this.#wanted))
  }
}
