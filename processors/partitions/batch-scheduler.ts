import { withSignals } from '../../shared/async/join-signals.ts'
import { pause } from '../../shared/async/waiting.ts'
import { type BatchSize, type FlushPlan, planFlush } from './flush-policy.ts'

export interface BatchSchedulerOptions {
  /** Longest time between batches of partitions. */
  readonly maxFlushIntervalMs: number
  /** Longest time between inserts of raw samples. */
  readonly maxInsertIntervalMs: number
  /** The process's own by default. */
  readonly time?: SchedulerTime
}

export interface SchedulerTime {
  /** Milliseconds since some fixed instant. */
  nowMs(): number
  /** Resolves after `ms` or as soon as the signal is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

/** Whether clients are subscribed to derived data, and whether some of them need stored raw samples. */
export interface Subscribers {
  documents(): boolean
  rawSamples(): boolean
}

export const processTime: SchedulerTime = { nowMs: () => performance.now(), pause }
const noSubscribers: Subscribers = { documents: () => false, rawSamples: () => false }
const nothing: BatchSize = { records: 0, bytes: 0 }

/**
 * Runs the batches of partitions and the inserts of raw samples at the intervals of `planFlush`. Partitions wait until the same
 * instant, so that they share inserts. A read of derived data ends the intervals: its own response may lack the newest samples, the
 * next response includes them.
 */
export class BatchScheduler {
  readonly #options: BatchSchedulerOptions
  readonly #time: SchedulerTime
  readonly #stopped = new AbortController()
  /** Ends each interval that a read may end now. */
  readonly #endIntervals = new Set<() => void>()
  #subscribers = noSubscribers
  #lastReadMs: number
  #batches = 0
  /** The interval in which partitions wait now. */
  #interval: Promise<void> | null = null
  #lingerMs = 0

  constructor(options: BatchSchedulerOptions) {
    this.#options = options
    this.#time = options.time ?? processTime
    this.#lastReadMs = this.#time.nowMs()
  }

  /** `subscribers` is read before each interval. */
  follow(subscribers: Subscribers): void {
    this.#subscribers = subscribers
  }

  /** Whether clients are subscribed to documents. */
  get hasSubscribers(): boolean {
    return this.#subscribers.documents()
  }

  /** Requests fresh derived data: call it at each read. Ends the intervals. */
  requestFlush(): void {
    this.#lastReadMs = this.#time.nowMs()
    for (const end of this.#endIntervals) end()
  }

  /** Time that an insert waits for rows of other partitions: 0 unless another batch is in progress, whose rows may follow. */
  get lingerMs(): number {
    return this.#batches > 1 ? this.#lingerMs : 0
  }

  /** Ends all intervals for good. */
  stop(): void {
    this.#stopped.abort()
  }

  /**
   * Processes a batch of one partition, and resolves when its next batch may begin; rejects if `process` does. `holdIdle` is called
   * at the start of a long interval and stops partitions without records; its result is called at the end.
   */
  async runBatch(process: () => Promise<BatchSize>, holdIdle: () => () => void): Promise<void> {
    const startedMs = this.#time.nowMs()
    this.#batches++
    const size = await process().finally(() => this.#batches--)
    const { maxFlushIntervalMs } = this.#options
    const plan = this.#plan(size, startedMs, this.hasSubscribers, maxFlushIntervalMs)
    if (plan.intervalMs > 0)
      await (this.#interval ??= this.#startInterval(plan, holdIdle).finally(() => (this.#interval = null)))
  }

  /** Resolves when the next insert of raw samples may begin after one that began at `startedMs`, or when `signal` aborts. */
  async waitForNextInsert(startedMs: number, signal: AbortSignal): Promise<void> {
    const { maxInsertIntervalMs } = this.#options
    await this.#wait(this.#plan(nothing, startedMs, this.#subscribers.rawSamples(), maxInsertIntervalMs), signal)
  }

  #plan(size: BatchSize, startedMs: number, hasSubscribers: boolean, maxIntervalMs: number): FlushPlan {
    const nowMs = this.#time.nowMs()
    const [tookMs, unreadMs] = [nowMs - startedMs, nowMs - this.#lastReadMs]
    return planFlush({ size, tookMs, unreadMs, hasSubscribers, maxIntervalMs })
  }

  async #startInterval(plan: FlushPlan, holdIdle: () => () => void): Promise<void> {
    this.#lingerMs = plan.lingerMs
    const release = plan.holdsIdle ? holdIdle() : undefined
    await this.#wait(plan)
    release?.()
  }

  async #wait({ intervalMs, minIntervalMs }: FlushPlan, signal?: AbortSignal): Promise<void> {
    const startedMs = this.#time.nowMs()
    await withSignals([this.#stopped.signal, signal], async ended => {
      await this.#time.pause(minIntervalMs, ended)
      if (this.#lastReadMs < startedMs) await this.#pauseUntilRead(intervalMs - minIntervalMs, ended)
    })
  }

  async #pauseUntilRead(ms: number, signal: AbortSignal): Promise<void> {
    const read = new AbortController()
    const end = () => read.abort()
    this.#endIntervals.add(end)
    await withSignals([signal, read.signal], ended => this.#time.pause(ms, ended))
    this.#endIntervals.delete(end)
  }
}
