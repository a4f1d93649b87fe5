/** The highest offset that was reached, and callers that wait for an offset. */
export class ReachedOffset {
  #value = -1
  readonly #waiting = new Set<{ readonly offset: number; readonly resolve: () => void }>()

  /** -1: none was reached. */
  get value(): number {
    return this.#value
  }

  /** Ignores offsets below the highest one. */
  reach(offset: number): void {
    if (offset <= this.#value) return
    this.#value = offset
    for (const waiter of this.#waiting) {
      if (waiter.offset > offset) continue
      this.#waiting.delete(waiter)
      waiter.resolve()
    }
  }

  /** Resolves when this offset or a later one was reached. */
  async waitFor(offset: number): Promise<void> {
    if (offset <= this.#value) return
    await new Promise<void>(resolve => {
      this.#waiting.add({ offset, resolve })
    })
  }
}
