import { pause } from '../../shared/async/waiting.ts'

export interface PaceOptions {
  /** Longest rest of partitions, ms. */
  readonly mostMs: number
  /** Longest rest between inserts of raw samples, ms; `mostMs` by default. */
  readonly mostRawMs?: number
  /** The process's own by default. */
  readonly time?: PaceTime
}

/** The time by which partitions rest. */
export interface PaceTime {
  /** Milliseconds since some fixed instant. */
  nowMs(): number
  /** Resolves after `ms` or as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const processTime: PaceTime = { nowMs: () => performance.now(), pause }

/** First rest after a silence. */
const firstMs = 250
/** Nothing came for so long at least: where samples come a second apart, rests must still grow. */
const silenceMs = 5_000
const growth = 1.5
/** Longest rest while screens are open: they show statuses as the partitions take samples. */
const mostWatchedMs = 250
/** Rests where much comes: an insert costs about as much as 20,000 rows, and a document as often as it is written. */
const defaultBusyMs = 3_000
/** Nobody rests long for so long after somebody asked. */
const askedMs = 500
/** Where all take so many records a second, they take so often then, and together: each alone would insert ever less, ever more often. */
const manyASecond = 200
const askedRestMs = 200
/** Who rests for so long or longer waits long for others. */
const longRestMs = 1_000
const lingerMs = { short: 4, much: 25, long: 100 } as const
/** So long after a rest of all, those who rested write. */
const writingMs = 500
/** Longer where much comes: there is more to be made before it is written. */
const busyWritingMs = 1_500
/** After so many samples or records little comes no more: a rest is short, and grows no longer. */
const many = 200
/** After a batch of so many records or bytes there is no rest: it may have been cut, and then more is there. */
const cut = { records: 1_000, bytes: 1_000_000 } as const

/** Inserts of raw samples wait for about so many rows: an insert costs about as much as half of them. */
const rawRows = 40_000
/** Rests between inserts of many rows take at least so long. */
const leastManyRawMs = 1_000

/** How much was taken at a time. */
export interface Taken {
  readonly samples: number
  /** Records of the log, and their bytes as they stood there. */
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
 * Says when partitions take their next samples, and when samples are inserted: what is written costs by how often, and hardly by how much.
 * What comes after a silence is taken at once, then ever less often while little comes. All rest up to the same instant, so that their
 * inserts come together. A request for what is made of samples ends the rest: its own answer may still lack the samples of the rest, the
 * next one has them. The rests after it are as long as before.
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
  /** When the last long rest ran out where much comes. */
  #busyEndMs = -Infinity
  /** The last rest between inserts of raw samples, and when it ended. */
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
   * Tells whether screens are open, and whether some of them are told of raw samples when the store has them; called before each rest.
   */
  watchedWhile(isWatched: () => boolean, isRawWatched = isWatched): void {
    this.#isWatched = isWatched
    this.#isRawWatched = isRawWatched
  }

  /** Somebody asks for what is made of the samples: nobody rests for the moment. */
  asked(): void {
    this.#askedAtMs = this.#time.nowMs()
    this.#untilMs = Math.min(this.#untilMs, this.#askedAtMs)
    for (const wake of this.#wakes) wake()
  }

  /**
   * How long those who write wait for others, so that they share an insert: long after a long rest of all, as nobody would see it sooner, be it
   * that little comes or much. Who writes in between, as a rebuild does, has nobody to wait for. Where much comes, it takes a moment until all
   * have made their documents.
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

  /** From here on nobody rests. */
  end(): void {
    this.#isOver = true
    this.asked()
  }

  /**
   * Resolves when who has taken so much may take the next, or when `signal` aborts. Nobody rests where somebody asked since `beganMs`, when the
   * take began by `performance.now()`: what came in the meantime is waited for. Where much comes, a rest takes about `busyMs`: by default some
   * seconds, less while screens are open, and a moment where somebody asked. Those of the same length end together. `holdOthers` is called where this begins a long rest of
   * all, and what it returned when that ends: who has nothing to take now would else take alone meanwhile.
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
   * Resolves when, after an insert of so many raw samples, the next one may begin, or when `signal` aborts. Few answers are made of raw samples:
   * rests grow until an insert has many rows. A request ends them; there is none after it where the insert began before, at `beganMs`.
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

  /** Whether nobody rests: somebody asked a moment ago or since this began, or it is over. */
  #isAwake(nowMs: number, beganMs: number, signal: AbortSignal): boolean {
    return this.#askedAtMs >= beganMs || nowMs - this.#askedAtMs < askedMs || this.#isOver || signal.aborted
  }

  /** Counts records that were taken; returns about how many come in a second. */
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

  /** Resolves at the next instant that such a time divides, however often somebody asks until then. */
  async #untilNext(everyMs: number, signal: AbortSignal): Promise<void> {
    const endMs = Math.ceil(this.#time.nowMs() / everyMs) * everyMs
    for (let waitMs = endMs - this.#time.nowMs(); waitMs > 0; waitMs = endMs - this.#time.nowMs()) {
      if (this.#isOver || signal.aborted) return
      await this.#until(waitMs, signal)
    }
  }

  /** Tells whether the time ran out; false: somebody ended the rest. */
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
