import { setImmediate as nextTurn } from 'node:timers/promises'

const longestMs = 10

/** Cuts long work so that others get the event loop in between: `if (slice.isOver) await slice.next()` between small steps. */
export class WorkSlice {
  #startedAtMs = performance.now()

  /** Whether the work has gone on for longer than 10 ms. */
  get isOver(): boolean {
    return performance.now() - this.#startedAtMs > longestMs
  }

  /** Resolves after everybody else had a turn. */
  async next(): Promise<void> {
    await nextTurn()
    this.#startedAtMs = performance.now()
  }
}
