const longestMs = 10

const waiting: (() => void)[] = []

/** Resumes one that waits, and the next of them in the next turn: many that work side by side hold the event loop no longer than one. */
function resumeNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeNext)
}

/**
 * Divides long work into time slices: `if (slice.isOver) await slice.next()` between small steps yields to the event
 * loop.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | null
  #startedAtMs = performance.now()

  /** `signal`: ends the work when it aborts. */
  constructor(signal: AbortSignal | null = null) {
    this.#signal = signal
  }

  /** Whether the work has gone on for longer than 10 ms. */
  get isOver(): boolean {
    return performance.now() - this.#startedAtMs > longestMs
  }

  /** Resolves after pending callbacks have run; rejects with the reason of the signal if it has aborted. */
  async next(): Promise<void> {
    await new Promise<void>(resolve => {
      if (waiting.push(resolve) === 1) setImmediate(resumeNext)
    })
    this.#signal?.throwIfAborted()
    this.#startedAtMs = performance.now()
  }
}
