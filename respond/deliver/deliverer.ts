import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type TargetName, targetKey } from '../../processors/records/delivery-table.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { TargetWorker, type TargetWorkerDeps } from './target-worker.ts'
import { WaitingIncidents } from './waiting-incidents.ts'

export interface DelivererDeps extends Omit<TargetWorkerDeps, 'waiting'> {
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  /** Number of partitions. */
  readonly partitions: number
  readonly logger: Logger
}

/** Targets to which messages are sent at the same time. */
const maxConcurrent = 100
/** Limit of a company: its receivers that do not respond do not delay the messages of other companies. */
const maxConcurrentOfCompany = 20
/** Delay after a failed command, ms. */
const retryMs = 1_000
/** Time for attempts in progress to end and to be stored before they are aborted, ms. */
const finishMs = 2_000
/** Time for aborted attempts to end, ms: a log that does not respond must not keep the next owner waiting. */
const abortMs = 3_000

/** Sends the deliveries of the targets whose partitions this process owns. All state is in the records. */
export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #waiting: WaitingIncidents
  readonly #stopListening: readonly (() => void)[]
  readonly #owned = new Map<number, { readonly fence: number; readonly sinceMs: number }>()
  /** Fences of the partitions that were released, until they have another owner. */
  readonly #released = new Map<number, number>()
  /** By target; those that ran last are at the end. */
  readonly #workers = new Map<string, TargetWorker>()
  readonly #running = new Map<TargetWorker, Promise<void>>()
  /** Number of running workers by company. */
  readonly #runningOfCompany = new Map<string, number>()
  #isStopped = false

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.#waiting = new WaitingIncidents(deps.records, target => this.#workers.get(targetKey(target))?.changed())
    this.#stopListening = [
      deps.records.onChange(({ kind, before, after }) => {
        const record = after ?? before
        if (record && (kind === 'alertPause' || kind === 'alertTarget' || kind === 'alertRule'))
          this.#changed(companyOf(record))
      }),
      // After all listeners of the entry.
      deps.records.onEntry(({ changes }) => {
        if (changes.some(({ kind }) => kind === 'incident')) queueMicrotask(() => this.tick())
      }),
    ]
  }

  /** Starts what is due; new notices of incidents start by themselves. Call it at intervals, and first for the partitions. */
  tick(): void {
    if (this.#isStopped) return
    this.#followPartitions()
    const targets = [...this.#waiting.targets(), ...this.#deps.records.deliveries.targetsWithUndecided()]
    const current = new Map(targets.map(target => [targetKey(target), target]))
    this.#followTargets(current)
    this.#startDue()
  }

  /**
   * Starts nothing more in partitions that this process still owns; resolves when the attempts in progress have ended, after
   * 5 s at the latest: the next owner repeats those whose outcome is not stored.
   */
  async release(partitions: readonly number[]): Promise<void> {
    const fences = this.#deps.fences()
    for (const partition of partitions) {
      const fence = fences.get(partition)
      if (fence !== undefined) this.#released.set(partition, fence)
      this.#owned.delete(partition)
    }
    const released = [...this.#workers].filter(([, worker]) => partitions.includes(worker.partition))
    for (const [key] of released) this.#workers.delete(key)
    await this.#finish(released.map(([, worker]) => worker))
  }

  /** Resolves when what is in progress has ended, after 5 s at the latest. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const stop of this.#stopListening) stop()
    this.#waiting.stop()
    await this.#finish([...this.#running.keys()])
  }

  #changed(companyId: string): void {
    for (const worker of this.#workers.values()) if (worker.target.companyId === companyId) worker.changed()
  }

  async #finish(workers: readonly TargetWorker[]): Promise<void> {
    const ended = Promise.all(workers.flatMap(worker => this.#running.get(worker) ?? []))
    await withTimeout(finishMs, ended, () => {
      for (const worker of workers) worker.stop()
      return withTimeout(abortMs, ended, () => undefined)
    })
  }

  #followPartitions(): void {
    const fences = this.#deps.fences()
    for (const [partition, { fence }] of this.#owned) if (fences.get(partition) !== fence) this.#owned.delete(partition)
    for (const [partition, fence] of fences)
      if (!this.#owned.has(partition) && this.#released.get(partition) !== fence)
        this.#owned.set(partition, { fence, sinceMs: this.#deps.clock() })
  }

  #followTargets(targets: ReadonlyMap<string, TargetName>): void {
    for (const [key, worker] of this.#workers) {
      const target = targets.get(key)
      const isOwned = target !== undefined && this.#ownedOf(target)?.fence === worker.fence
      if (isOwned || (target === undefined && this.#running.has(worker))) continue
      worker.stop()
      this.#workers.delete(key)
    }
    for (const [key, target] of targets) {
      const owned = this.#ownedOf(target)
      if (owned && !this.#workers.has(key))
        this.#workers.set(key, new TargetWorker(target, owned, { ...this.#deps, waiting: this.#waiting }))
    }
  }

  #ownedOf(target: TargetName) {
    const partition = partitionOfTarget(target, this.#deps.partitions)
    const owned = this.#owned.get(partition)
    return owned && { partition, ...owned }
  }

  #startDue(): void {
    const nowMs = this.#deps.clock()
    for (const worker of this.#workers.values()) {
      if (this.#isStopped || this.#running.size >= maxConcurrent) return
      const isFull = this.#runningOf(worker) >= maxConcurrentOfCompany
      if (!isFull && worker.dueMs <= nowMs && !this.#running.has(worker)) this.#start(worker)
    }
  }

  #runningOf({ target }: TargetWorker): number {
    return this.#runningOfCompany.get(target.companyId) ?? 0
  }

  #start(worker: TargetWorker): void {
    const { companyId } = worker.target
    this.#runningOfCompany.set(companyId, this.#runningOf(worker) + 1)
    const running = worker
      .run()
      .catch((error: unknown) => {
        worker.retryIn(retryMs)
        if (!this.#isStopped) this.#deps.logger.warn({ err: error }, 'Failed to store deliveries, retrying')
      })
      .finally(() => this.#ended(worker))
    this.#running.set(worker, running)
  }

  #ended(worker: TargetWorker): void {
    this.#running.delete(worker)
    const { companyId } = worker.target
    const count = this.#runningOf(worker) - 1
    if (count > 0) this.#runningOfCompany.set(companyId, count)
    else this.#runningOfCompany.delete(companyId)
    const key = targetKey(worker.target)
    if (this.#workers.get(key) === worker) {
      this.#workers.delete(key)
      this.#workers.set(key, worker)
    }
    this.#startDue()
  }
}

/** Returns the partition whose owner sends to a target. */
function partitionOfTarget(target: TargetName, partitions: number): number {
  return createHash('sha256').update(targetKey(target)).digest().readUInt32BE(0) % partitions
}
