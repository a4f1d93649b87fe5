/**
 * Commits of one partition by one member of a group: one at a time, always of the highest offset that was asked for. So one that is
 * repeated late never sets the group back.
 */
export class PartitionCommits {
  readonly #send: (nextOffset: () => number) => Promise<number>
  #wanted = -1
  #made = -1
  #underWay: Promise<void> | null = null

  /** `send` commits what `nextOffset` returns, asked anew for each attempt, and returns what it committed. */
  constructor(send: (nextOffset: () => number) => Promise<number>) {
    this.#send = send
  }

  /** Resolves when this offset or a higher one is committed; rejects when the commit that was under way failed. */
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
