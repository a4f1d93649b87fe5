import { neverRejects } from '../../../shared/async/never-rejects.ts'

export interface EvaluationQueueOptions {
  /** Share of one processor's time that the work may take, 0 to 1. */
  readonly load: number
  /** Told what a piece of work that rejects was rejected with. */
  readonly onError: (error: unknown) => void
  /** Processor time that the whole process has used, all its threads, ms. Other than the process's own: for tests. */
  readonly usedMs?: () => number
}

type Work = () => Promise<unknown>

/** A company's work. */
interface Holder {
  /** Someone waits for it. */
  readonly urgent: Set<Work>
  readonly waiting: Set<Work>
  /** Pieces of urgent work begun since one of the others was. */
  urgentInRow: number
  /** When its next piece may begin, by `performance.now()`. */
  readyAtMs: number
  running: number
}

/** After a quiet time so much is done without a pause, ms. */
const burstMs = 250
/** Urgent work may begin so much before the company's pause is over, ms. */
const aheadMs = 2_000
/** Nobody pauses longer, ms. */
const longestPauseMs = 10_000
/** Pieces that are done at once, and those of one company among them. */
const places = 4
const placesOfCompany = 2
/** How old a reading of the processor time may be, ms. */
const askEveryMs = 5
/**
 * So much processor time at most is charged for an ms of the clock. Threads of the store and of the collector work beside the main
 * one, but where a plant sends a lot they work for others, too.
 */
const mostPerMs = 2
/** So much time without work tells how much the process uses for other things, ms: older times count ever less. */
const idleWindowMs = 2_000
/** How long the process is watched to tell how much its other threads do beside the main one, ms. */
const watchMs = 1_000
/** So many pieces of urgent work come before one that waits. */
const mostUrgentInRow = 2

/** Processor time that the process had used at an instant, by `performance.now()`. */
interface Usage {
  readonly atMs: number
  readonly usedMs: number
}

/**
 * Does the work of several companies, a few pieces at a time, in rotation. After each piece the company pauses in proportion to the
 * time of a processor that it took: all of it together takes a share of a processor, and what costs more is done less often.
 */
export class EvaluationQueue {
  readonly #options: EvaluationQueueOptions
  readonly #holders = new Map<string, Holder>()
  #running = 0
  #usage: Usage = { atMs: -Infinity, usedMs: 0 }
  /** Since when there is no work; null: some is done, or there was none yet. */
  #idleSince: Usage | null = null
  /** Time without work, and what the process used in it. */
  #idle = { ms: 0, usedMs: 0 }
  /** Processor time of the process for an ms of its main thread, as it was between two readings. */
  #perMainMs = 1
  #watched = { atMs: -Infinity, usedMs: 0, loop: performance.eventLoopUtilization() }
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: EvaluationQueueOptions) {
    this.#options = options
  }

  /** Does it when it is the company's turn. Returns what takes it out again, if it has not begun. */
  add(companyId: string, work: Work, { isUrgent = false } = {}): () => void {
    if (this.#isStopped) return () => undefined
    const holder = this.#holderOf(companyId)
    const pieces = isUrgent ? holder.urgent : holder.waiting
    pieces.add(work)
    this.#next()
    return () => pieces.delete(work)
  }

  /** Counts time that was spent on what came of a company's work: to send results, say. */
  charge(companyId: string, tookMs: number): void {
    const holder = this.#holders.get(companyId)
    const nowMs = performance.now()
    if (!holder) return
    const chargedMs = this.#ofAllThreads(tookMs, nowMs)
    if (this.#idleSince) this.#idle.usedMs -= chargedMs
    this.#pause(holder, chargedMs, nowMs)
  }

  /** Pieces that have not begun. */
  get waiting(): number {
    let pieces = 0
    for (const { urgent, waiting } of this.#holders.values()) pieces += urgent.size + waiting.size
    return pieces
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#holders.clear()
  }

  #holderOf(companyId: string): Holder {
    const found = this.#holders.get(companyId)
    if (found) return found
    const made: Holder = { urgent: new Set(), waiting: new Set(), urgentInRow: 0, readyAtMs: 0, running: 0 }
    this.#holders.set(companyId, made)
    return made
  }

  /** Begins as much as there are places for, and comes back when a pause is over. */
  #next(): void {
    clearTimeout(this.#timer)
    const nowMs = performance.now()
    let earliestMs = Infinity
    // A copy: those that are served go to the end, so that the others come first next time.
    const holders = Array.from(this.#holders)
    for (const [companyId, holder] of holders) {
      if (this.#running >= places) return
      const readyMs = this.#hasPlaceFor(holder) ? readyMsOf(holder) : Infinity
      if (readyMs > nowMs) earliestMs = Math.min(earliestMs, readyMs)
      else this.#begin(companyId, holder)
      if (isForgettable(holder, nowMs)) this.#holders.delete(companyId)
    }
    if (earliestMs === Infinity) return
    this.#timer = setTimeout(() => this.#next(), Math.ceil(earliestMs - nowMs))
    this.#timer.unref()
  }

  #begin(companyId: string, holder: Holder): void {
    const work = takeFrom(holder)
    if (!work) return
    this.#holders.delete(companyId)
    this.#holders.set(companyId, holder)
    this.#running++
    holder.running++
    // Failures go to `onError`.
    neverRejects(this.#run(holder, work))
  }

  async #run(holder: Holder, work: Work): Promise<void> {
    const startedAtMs = performance.now()
    const before = this.#readUsage(startedAtMs)
    this.#endIdle(before)
    await work().catch(this.#options.onError)
    const nowMs = performance.now()
    const passedMs = nowMs - startedAtMs
    const tookMs =
      passedMs < askEveryMs
        ? this.#ofAllThreads(passedMs, nowMs)
        : Math.min(passedMs * mostPerMs, this.#usedSince(before, nowMs) / this.#running)
    this.#pause(holder, tookMs, nowMs)
    this.#running--
    holder.running--
    if (this.#running === 0) this.#idleSince = this.#readUsage(nowMs)
    if (!this.#isStopped) this.#next()
  }

  #pause(holder: Holder, tookMs: number, nowMs: number): void {
    const pauseMs = (tookMs * this.#busy) / this.#options.load
    holder.readyAtMs = Math.min(nowMs + longestPauseMs, Math.max(holder.readyAtMs, nowMs - burstMs) + pauseMs)
  }

  /** At most some ms old, as to ask costs more than a small piece of work. */
  #readUsage(nowMs: number): Usage {
    if (nowMs - this.#usage.atMs >= askEveryMs) {
      const { usedMs = usedByProcessMs } = this.#options
      this.#usage = { atMs: nowMs, usedMs: usedMs() }
    }
    return this.#usage
  }

  /**
   * Processor time that the work took since `before`, ms. What the process uses without it, for samples that come and for merges of the
   * store, is left out. The clock alone would count what others use, too.
   */
  #usedSince(before: Usage, nowMs: number): number {
    const { atMs, usedMs } = this.#readUsage(nowMs)
    const otherPerMs = this.#idle.ms > 0 ? Math.max(0, this.#idle.usedMs / this.#idle.ms) : 0
    return Math.max(0, usedMs - before.usedMs - (atMs - before.atMs) * otherPerMs)
  }

  #endIdle({ atMs, usedMs }: Usage): void {
    const since = this.#idleSince
    this.#idleSince = null
    if (!since) return
    const kept = this.#idle.ms > idleWindowMs ? 0.5 : 1
    const passedMs = atMs - since.atMs
    // One long time alone would outweigh many that come after it.
    const taken = Math.min(1, idleWindowMs / Math.max(1, passedMs))
    this.#idle = {
      ms: this.#idle.ms * kept + passedMs * taken,
      usedMs: this.#idle.usedMs * kept + (usedMs - since.usedMs) * taken,
    }
  }

  /** Time of the main thread with what other threads do beside it: the store's, and those that collect garbage. */
  #ofAllThreads(mainMs: number, nowMs: number): number {
    if (nowMs - this.#watched.atMs >= watchMs) {
      const { usedMs } = this.#readUsage(nowMs)
      const loop = performance.eventLoopUtilization()
      const activeMs = loop.active - this.#watched.loop.active
      const perMainMs = (usedMs - this.#watched.usedMs) / Math.max(1, activeMs)
      if (this.#watched.atMs > -Infinity) this.#perMainMs = Math.min(mostPerMs, Math.max(1, perMainMs))
      this.#watched = { atMs: nowMs, usedMs, loop }
    }
    return mainMs * this.#perMainMs
  }

  /** The last place is kept for a company that has none. */
  #hasPlaceFor({ running }: Holder): boolean {
    return running === 0 || (running < placesOfCompany && this.#running < places - 1)
  }

  /** Companies that have work; at least the one that has just done some. */
  get #busy(): number {
    let busy = 0
    for (const { urgent, waiting, running } of this.#holders.values())
      if (urgent.size + waiting.size + running > 0) busy++
    return Math.max(1, busy)
  }
}

function usedByProcessMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Urgent work comes first, but does not hold up the rest for ever. */
function takeFrom(holder: Holder): Work | undefined {
  const { urgent, waiting, urgentInRow } = holder
  const isUrgent = urgent.size > 0 && (waiting.size === 0 || urgentInRow < mostUrgentInRow)
  holder.urgentInRow = isUrgent ? urgentInRow + 1 : 0
  const pieces = isUrgent ? urgent : waiting
  const [work] = pieces
  if (work) pieces.delete(work)
  return work
}

/** When the next piece may begin; Infinity: there is none. */
function readyMsOf({ urgent, waiting, readyAtMs }: Holder): number {
  if (urgent.size > 0) return readyAtMs - aheadMs
  return waiting.size > 0 ? readyAtMs : Infinity
}

function isForgettable({ urgent, waiting, running, readyAtMs }: Holder, nowMs: number): boolean {
  return urgent.size + waiting.size + running === 0 && readyAtMs <= nowMs - burstMs
}
