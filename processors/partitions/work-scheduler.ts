import type { Logger } from 'pino'
import { topics } from '../../schema/topics.ts'
import { pause } from '../../shared/async/waiting.ts'
import type { OwnedPartition } from './owned-partition.ts'

export interface WorkSchedulerDeps {
  readonly owned: () => Iterable<OwnedPartition>
  /** Stores past samples of keys that became keys of state samples. */
  readonly promote: (owned: OwnedPartition) => Promise<void>
  /** Called when there is no pending work, to publish it. */
  readonly onIdle: () => Promise<void>
  readonly onTick: () => Promise<void>
  /** Whether callers wait for reads of derived data. */
  readonly isReading?: () => boolean
  /** Milliseconds since some fixed instant. Default: `performance.now`. */
  readonly nowMs?: () => number
  readonly logger: Pick<Logger, 'debug' | 'warn' | 'error'>
}

const tickMs = 1_000
/** Poll interval for work that becomes due, such as the end of a back-off. */
const idleMs = 1_000

/** Wait for further changes of a burst: an insert of documents of a hundred machines costs about as much as one of one machine. */
const soonMs = 150

/** Machine-hours up to which slices are computed in parallel: together they are still smaller than a slice of a long backlog. */
const smallHours = 500

/** Maximum wait of older hours for live hours of other partitions, ms: they are computed even if there is always work on live hours. */
const maxHistoryWaitMs = 2_000

/** Maximum wait of long slices and day documents for reads, ms: they proceed even if there are always reads. */
const maxReadWaitMs = 1_000
const readPollMs = 100

/** Whether the next slice does not delay reads: few hours, as those of a changed record, or live ones. */
function isShort({
  hasLiveWork,
  sliceHours,
}: Pick<OwnedPartition['partition'], 'hasLiveWork' | 'sliceHours'>): boolean {
  return hasLiveWork || sliceHours <= smallHours
}

/** Runs the background work of the owned partitions, one slice each: dirty hours, then day documents when no hour is dirty. */
export class WorkScheduler {
  readonly #deps: WorkSchedulerDeps
  readonly #nowMs: () => number
  readonly #stopping = new AbortController()
  #loops: readonly Promise<void>[] = []
  #soon: NodeJS.Timeout | null = null
  #woken = new AbortController()
  /** Time since which older hours wait for live hours of other partitions (`nowMs`); null: they do not wait. */
  #historyWaitsSinceMs: number | null = null
  /** Time since which long slices and day documents wait for reads; null: they do not wait. */
  #readsSinceMs: number | null = null

  constructor(deps: WorkSchedulerDeps) {
    this.#deps = deps
    this.#nowMs = deps.nowMs ?? (() => performance.now())
  }

  start(): void {
    this.#loops = [this.#workLoop(), this.#tickLoop()]
  }

  /** Starts a round of work. */
  wake(): void {
    this.#woken.abort()
  }

  /** Schedules work shortly, together with further work until then. */
  wakeSoon(): void {
    if (this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = null
      this.wake()
    }, soonMs).unref()
  }

  /** Resolves when the slices in progress have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await Promise.all(this.#loops)
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #workLoop(): Promise<void> {
    while (!this.#isStopped) {
      // Aborts when work is added after the round has begun.
      this.#woken = new AbortController()
      const makesRoom = this.#makesRoom()
      const isLeft = (await this.#workOnHours(makesRoom)) || (await this.#workOnDays(makesRoom))
      // Yields to the event loop between slices: fresh state samples are consumed first.
      await (isLeft ? new Promise(resolve => setTimeout(resolve, 0)) : this.#idle())
    }
  }

  /**
   * Computes a slice of each partition's hours, live hours first. Small slices run in parallel, as partitions then share reads and inserts of
   * the same hours. `makesRoom`: long slices of older hours wait for reads.
   */
  async #workOnHours(makesRoom: boolean): Promise<boolean> {
    const all = [...this.#deps.owned()]
    const ready = makesRoom ? all.filter(({ partition }) => isShort(partition)) : all
    const owned = this.#withoutWaiting(ready)
    const small = owned.filter(({ partition }) => partition.sliceHours <= smallHours)
    const left = await Promise.all(small.map(each => this.#computeHours(each)))
    for (const each of owned) if (!small.includes(each)) left.push(await this.#computeHours(each))
    return left.includes(true) || owned.length < ready.length || (ready.length < all.length && this.#pauseForReads())
  }

  async #pauseForReads(): Promise<true> {
    await pause(readPollMs, this.#woken.signal)
    return true
  }

  /** Whether long slices and day documents wait for reads now, which they do for a limited time. */
  #makesRoom(): boolean {
    const nowMs = this.#nowMs()
    const sinceMs = this.#readsSinceMs ?? nowMs
    const isWaiting = this.#deps.isReading?.() === true && nowMs - sinceMs < maxReadWaitMs
    this.#readsSinceMs = isWaiting ? sinceMs : null
    return isWaiting
  }

  /** Returns the partitions of the next round: those with work on live hours, unless the rest has waited for too long. */
  #withoutWaiting(owned: readonly OwnedPartition[]): readonly OwnedPartition[] {
    const nowMs = this.#nowMs()
    const live = owned.filter(({ partition }) => partition.hasLiveWork)
    const waitsSinceMs = this.#historyWaitsSinceMs ?? nowMs
    const isWaiting = live.length > 0 && live.length < owned.length && nowMs - waitsSinceMs < maxHistoryWaitMs
    this.#historyWaitsSinceMs = isWaiting ? waitsSinceMs : null
    return isWaiting ? live : owned
  }

  async #computeHours(owned: OwnedPartition): Promise<boolean> {
    if (this.#isStopped) return false
    try {
      await this.#deps.promote(owned)
      const isLeft = await owned.partition.work()
      // Recent hours go first: while hours are left, an older one may fail each time.
      if (isLeft) owned.documentsFailure.partSucceeded()
      else owned.documentsFailure.ended()
      return isLeft
    } catch (error) {
      const partition = owned.number
      const message = `Documents of partition ${partition} cannot be computed or written: reports lack its new samples. The log of the process has the error.`
      owned.documentsFailure.failed(error, () => {
        return { code: 'documents_failing', message, topic: topics.stateSamples, partition }
      })
      this.#deps.logger.warn({ err: error, partition }, 'Failed to write documents, retrying')
      await this.#pause()
      return false
    }
  }

  /**
   * Builds a slice of each partition's day documents in parallel; reports are correct without them. Returns whether any
   * was built.
   */
  async #workOnDays(makesRoom: boolean): Promise<boolean> {
    if (makesRoom) return this.#pauseForReads()
    const owned = [...this.#deps.owned()]
    if (this.#isStopped || owned.some(({ partition }) => partition.isBusy)) return false
    const built = await Promise.all(owned.map(each => this.#buildDays(each)))
    return built.includes(true)
  }

  async #buildDays({ number, partition }: OwnedPartition): Promise<boolean> {
    const { logger } = this.#deps
    try {
      const task = await partition.workOnDays()
      if (!task) return false
      const [machines, days] = [task.machines.length, task.days.map(({ shopDate }) => shopDate)]
      const report = { partition: number, companyRef: task.companyRef, machines, days, stale: partition.days.staleDays }
      logger.debug(report, 'Built day documents')
      return true
    } catch (error) {
      logger.warn({ err: error, partition: number }, 'Failed to build day documents, retrying')
      await this.#pause()
      return false
    }
  }

  async #idle(): Promise<void> {
    try {
      await this.#deps.onIdle()
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'Failed to publish progress, retrying')
      await this.#pause()
    }
    if (!this.#isStopped) await pause(idleMs, this.#woken.signal)
  }

  async #tickLoop(): Promise<void> {
    for (await this.#pause(); !this.#isStopped; await this.#pause()) {
      try {
        await this.#deps.onTick()
        this.wake()
      } catch (error) {
        this.#deps.logger.error({ err: error }, 'Periodic check failed')
      }
    }
  }

  #pause(): Promise<void> {
    return pause(tickMs, this.#stopping.signal)
  }
}
