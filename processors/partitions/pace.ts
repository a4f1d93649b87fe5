export interface PaceOptions {
  /** Longest rest, ms. */
  readonly mostMs: number
}

/** First rest after a silence. */
const firstMs = 250
const growth = 1.5
/** Longest rest while screens are open: they show statuses as the partitions take samples. */
const mostWatchedMs = 250
/** Nobody rests for so long after somebody asked. */
const askedMs = 500
/** After a batch of so many samples or messages, or bytes of them, a partition does not rest. */
const many = { messages: 200, bytes: 1_000_000 } as const

/** How much a partition has taken. */
export interface Taken {
  /** Samples, or messages where most have none. */
  readonly messages: number
  /** Of the messages as they stood in the log: a batch may be cut by these, and then more is there. */
  readonly bytes: number
}

/**
 * Says when partitions take their next samples while little comes: what is written costs by how often, and hardly by how much. What
 * comes after a silence is taken at once, then ever less often. All partitions rest up to the same instant, so that their inserts come
 * together. A request ends the rest: its own answer may still lack the samples of the rest, the next one has them.
 */
export class Pace {
  readonly #mostMs: number
  readonly #wakes = new Set<() => void>()
  #isWatched: () => boolean = () => false
  #restMs = 0
  /** When the rest of all partitions ends, by `performance.now()`. */
  #untilMs = -Infinity
  #askedAtMs = -Infinity
  #isOver = false

  constructor({ mostMs }: PaceOptions) {
    this.#mostMs = mostMs
  }

  /** Tells whether screens are open; called before each rest. */
  watchedWhile(isWatched: () => boolean): void {
    this.#isWatched = isWatched
  }

  /** Somebody asks for what is made of the samples: nobody rests for the moment. */
  asked(): void {
    this.#askedAtMs = performance.now()
    for (const wake of this.#wakes) wake()
  }

  /** From here on nobody rests. */
  end(): void {
    this.#isOver = true
    this.asked()
  }

  /** Resolves when a partition that has taken so much may take the next messages, or when `signal` aborts. */
  async rest({ messages, bytes }: Taken, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    const isMuch = messages >= many.messages || bytes >= many.bytes
    if (nowMs - this.#askedAtMs < askedMs || isMuch || this.#isOver || signal.aborted) {
      this.#restMs = 0
      return
    }
    if (this.#untilMs <= nowMs) this.#begin(nowMs)
    await this.#until(this.#untilMs - nowMs, signal)
  }

  #begin(nowMs: number): void {
    const isSilent = nowMs - this.#untilMs > this.#restMs
    const mostMs = this.#isWatched() ? Math.min(mostWatchedMs, this.#mostMs) : this.#mostMs
    this.#restMs = Math.min(mostMs, isSilent || this.#restMs === 0 ? firstMs : this.#restMs * growth)
    this.#untilMs = nowMs + this.#restMs
  }

  async #until(waitMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>(resolve => {
      const wake = () => {
        clearTimeout(timer)
        this.#wakes.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      // A timer may fire up to a millisecond early, and the rest would seem to go on.
      const timer = setTimeout(wake, waitMs + 1)
      this.#wakes.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
