import { pause } from '../../shared/async/waiting.ts'

export interface PaceOptions {
  /** Longest rest of partitions, ms. */
  readonly mostMs: number
  /** Maximum interval between inserts of raw samples, ms; `mostMs` by default. */
  readonly mostRawMs?: number
  /** The process's own by default. */
  readonly time?: PaceTime
}

/** Policy of the flush intervals of partitions. */
export interface PaceTime {
  /** Milliseconds since some fixed instant. */
  nowMs(): number
  /** Resolves after `ms` or as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const processTime: PaceTime = { nowMs: () => performance.now(), pause }

/** First flush interval after an idle period. */
const firstMs = 250
/** Minimum length of an idle period: with samples every second, flush intervals must still grow. */
const silenceMs = 5_000
const growth = 1.5
/** Maximum flush interval while screens are open: statuses are published when partitions consume samples. */
const mostWatchedMs = 250
/**
 * Flush intervals at a high input rate: an insert costs about as much as 20,000 rows, and a document costs on each
 * write.
 */
const defaultBusyMs = 3_000
/** Flush intervals stay short for this time after a freshness request. */
const askedMs = 500
/**
 * At this input rate, all partitions flush together at this interval after freshness requests: separate flushes would
 * write ever smaller inserts more often.
 */
const manyASecond = 200
const askedRestMs = 200
/** Flush interval from which inserts linger for those of further partitions. */
const longRestMs = 1_000
const lingerMs = { short: 4, much: 25, long: 100 } as const
/** Linger after a common flush interval. */
const writingMs = 500
/** Longer linger at a high input rate: computing the documents takes longer. */
const busyWritingMs = 1_500
/** Number of samples or records from which the input rate is high: the interval is short and constant. */
const many = 200
/** A batch of this number of records or bytes may be cut, so the next one follows immediately. */
const cut = { records: 1_000, bytes: 1_000_000 } as const

/** Inserts of raw samples wait for about so many rows: an insert costs about as much as half of them. */
const rawRows = 40_000
/** Minimum interval between inserts of many rows. */
const leastManyRawMs = 1_000

/** How much was taken at a time. */
export interface Taken {
  readonly samples: number
  /** Records of the log, and their bytes in the log. */
  readonly records: number
  readonly bytes: number
}

/** See `Pace.rest`. */
export interface RestOptions {
  readonly beganMs?: number
  readonly busyMs?: number
  readonly holdOthers?: () => () => void
}

/**
 * Schedules the batches of partitions and the inserts of raw samples: writes cost by their number and hardly by their
 * size. Samples after an idle period are consumed immediately, then at growing intervals while the input rate is low.
 * All partitions wait until the same instant, so that they share inserts. A read of derived data ends the interval: its
 * own response may lack the newest samples, the next one includes them. Later intervals are as long as before.
 */
export class Pace {
  readonly #mostMs: number
  readonly #mostRawMs: number
  readonly #time: PaceTime
  readonly #wakes = new Set<() => void>()
  #isWatched: () => boolean = () => false
  #isRawWatched: () => boolean = () => false
  #restMs = 0
  /** When the rest of all ends, by `performance.now()`. */
  #untilMs = -Infinity
  /** When the rest before that ended. */
  #formerEndMs = -Infinity
  #askedAtMs = -Infinity
  /** End of the last long interval at a high input rate. */
  #busyEndMs = -Infinity
  /** Last interval between inserts of raw samples, and its end. */
  #rawRestMs = 0
  #rawEndMs = -Infinity
  /** About how many records all took in the last second, when it was counted last. */
  #takenASecond = 0
  #countedMs = 0
  #isOver = false

  constructor({ mostMs, mostRawMs = mostMs, time = processTime }: PaceOptions) {
    this.#time = time
    this.#mostMs = mostMs
    this.#mostRawMs = mostRawMs
  }

  /**
   * Returns whether screens are open, and whether some of them need stored raw samples; called before each interval.
   */
  watchedWhile(isWatched: () => boolean, isRawWatched = isWatched): void {
    this.#isWatched = isWatched
    this.#isRawWatched = isRawWatched
  }

  /** Requests fresh derived data: ends the current intervals. */
  asked(): void {
    this.#askedAtMs = this.#time.nowMs()
    this.#untilMs = Math.min(this.#untilMs, this.#askedAtMs)
    for (const wake of this.#wakes) wake()
  }

  /**
   * Linger of inserts: long after a common long interval, because the rows are not urgent. Writes outside the common
   * intervals, such as those of a rebuild, do not linger. At a high input rate the linger covers the time in which all
   * partitions compute their documents.
   */
  get lingerMs(): number {
    const nowMs = this.#time.nowMs()
    const endMs = this.#untilMs <= nowMs ? this.#untilMs : this.#formerEndMs
    const isAsked = nowMs - this.#askedAtMs < askedMs
    const isLong = this.#restMs >= longRestMs && nowMs - endMs < writingMs
    const isBusy = nowMs - this.#busyEndMs < busyWritingMs
    if ((isLong || isBusy) && !isAsked) return lingerMs.long
    return this.#takenUntil(nowMs) >= manyASecond ? lingerMs.much : lingerMs.short
  }

  /** Ends all intervals for good. */
  end(): void {
    this.#isOver = true
    this.asked()
  }

  /**
   * Resolves when the next batch may begin after one of this size, or when `signal` aborts. There is no wait if fresh
   * data was requested since `beganMs`, the start of the batch by `performance.now()`. At a high input rate an interval
   * takes about `busyMs`: by default some seconds, less while screens are open, and a moment after a freshness request.
   * Intervals of equal length end together. `holdOthers` is called at the start of a long common interval, and its
   * result at the end: idle partitions would otherwise flush alone meanwhile.
   */
  async rest(
    taken: Taken,
    signal: AbortSignal,
    { beganMs = Infinity, busyMs = this.#busyMs(), holdOthers }: RestOptions = {},
  ): Promise<void> {
    const nowMs = this.#time.nowMs()
    const isBehind = taken.records >= cut.records || taken.bytes >= cut.bytes
    if (isBehind) this.#restMs = 0
    const isMuch = this.#countTaken(nowMs, taken.records) >= manyASecond
    if (isBehind) return
    if (this.#isAwake(nowMs, beganMs, signal)) return isMuch ? this.#untilNext(askedRestMs, signal) : undefined
    if (Math.max(taken.samples, taken.records) >= many) {
      const endMs = Math.ceil(nowMs / busyMs + 0.5) * busyMs
      const hasRunOut = await this.#until(endMs - nowMs, signal)
      if (hasRunOut && busyMs >= longRestMs) this.#busyEndMs = this.#time.nowMs()
      return
    }
    if (this.#untilMs > nowMs) return void (await this.#until(this.#untilMs - nowMs, signal))
    this.#begin(nowMs)
    const release = this.#restMs >= longRestMs ? holdOthers?.() : undefined
    try {
      await this.#until(this.#restMs, signal)
    } finally {
      release?.()
    }
  }

  /**
   * Resolves when the next insert of raw samples may begin after one of this size, or when `signal` aborts. Few
   * responses read raw samples: intervals grow until an insert has many rows. A freshness request ends them; there is
   * no wait if one came since the insert began, at `beganMs`.
   */
  async restOfRaw(rows: number, signal: AbortSignal, beganMs = Infinity): Promise<void> {
    const nowMs = this.#time.nowMs()
    if (this.#isAwake(nowMs, beganMs, signal)) return
    const sinceMs = nowMs - this.#rawEndMs
    const isSilent = sinceMs > Math.max(silenceMs, 2 * this.#rawRestMs + askedMs)
    const mostMs = this.#isRawWatched() ? Math.min(mostWatchedMs, this.#mostRawMs) : this.#mostRawMs
    const grownMs = isSilent || this.#rawRestMs === 0 ? firstMs : this.#rawRestMs * 2
    const fullMs = (rawRows / Math.max(1, rows)) * (isSilent ? firstMs : this.#rawRestMs + sinceMs)
    const leastMs = rows >= many ? leastManyRawMs : firstMs
    this.#rawRestMs = Math.min(mostMs, Math.max(leastMs, Math.min(grownMs, fullMs)))
    await this.#until(this.#rawRestMs, signal)
    this.#rawEndMs = this.#time.nowMs()
  }

  /** Whether there is no wait: fresh data was requested recently or since the batch began, or the policy has ended. */
  #isAwake(nowMs: number, beganMs: number, signal: AbortSignal): boolean {
    return this.#askedAtMs >= beganMs || nowMs - this.#askedAtMs < askedMs || this.#isOver || signal.aborted
  }

  /** Counts consumed records; returns the approximate input rate per second. */
  #countTaken(nowMs: number, records: number): number {
    this.#takenASecond = this.#takenUntil(nowMs) + records
    this.#countedMs = nowMs
    return this.#takenASecond
  }

  #takenUntil(nowMs: number): number {
    return this.#takenASecond * Math.exp((this.#countedMs - nowMs) / 1_000)
  }

  #busyMs(): number {
    return Math.min(this.#mostMs, this.#isWatched() ? mostWatchedMs : defaultBusyMs)
  }

  #begin(nowMs: number): void {
    const isSilent = nowMs - this.#untilMs > Math.max(silenceMs, this.#restMs)
    this.#formerEndMs = this.#untilMs
    const mostMs = this.#isWatched() ? Math.min(mostWatchedMs, this.#mostMs) : this.#mostMs
    this.#restMs = Math.min(mostMs, isSilent || this.#restMs === 0 ? firstMs : this.#restMs * growth)
    this.#untilMs = nowMs + this.#restMs
  }

  /** Resolves at the next multiple of the interval, independent of freshness requests. */
  async #untilNext(everyMs: number, signal: AbortSignal): Promise<void> {
    const endMs = Math.ceil(this.#time.nowMs() / everyMs) * everyMs
    for (let waitMs = endMs - this.#time.nowMs(); waitMs > 0; waitMs = endMs - this.#time.nowMs()) {
      if (this.#isOver || signal.aborted) return
      await this.#until(waitMs, signal)
    }
  }

  /** Returns whether the interval ended by time; false: a freshness request ended it. */
  async #until(waitMs: number, signal: AbortSignal): Promise<boolean> {
    const woken = new AbortController()
    const wake = () => woken.abort()
    this.#wakes.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    // A timer may fire up to a millisecond early, and the rest would seem to go on.
    await this.#time.pause(waitMs + 1, woken.signal)
    this.#wakes.delete(wake)
    signal.removeEventListener('abort', wake)
    return !woken.signal.aborted
  }
}
