const sliceMs = 10

const waiting: (() => void)[] = []

/**
 * Resumes one waiting task per iteration of the event loop, so that several tasks together block the event loop no
 * longer than one.
 */
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

  /** `signal`: `next` rejects after the signal has aborted. */
  constructor(signal: AbortSignal | null = null) {
    this.#signal = signal
  }

  /** Whether the current slice has lasted longer than 10 ms. */
  get isOver(): boolean {
    return performance.now() - this.#startedAtMs > sliceMs
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
