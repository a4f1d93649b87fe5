import { topics } from '../../schema/topics.ts'
import type { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Logger } from 'pino'
import type { Change } from '../../schema/records/record-kinds.ts'
import { findAffectedHours, type AffectedHours, type IsInMemory } from '../records/affected.ts'
import { affectedHistory } from '../records/affected-history.ts'
import type { RecordHistory } from '../records/record-history.ts'
import type { Records } from '../records/records.ts'
import { retry } from '../../shared/async/retry.ts'
import { promotionsOf, type Promotion } from './promotions.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** A change of the records as the documents see it. */
export interface RecordChange {
  readonly offset: number
  readonly affected: readonly AffectedHours[]
  /** Reads further affected hours, which depend on records that are not in memory; null: there are none. */
  readonly readAffected: (() => Promise<readonly AffectedHours[]>) | null
  readonly promotions: readonly Promotion[]
  /** `ref` of the company that is new or changed; null: none is. */
  readonly companyRef: CompanyRef | null
}

/** Reads a change; null: no document depends on it. Call it from an `onChange` listener, like `affected`. */
export function readChange(
  change: Change,
  offset: number,
  records: Records,
  history: RecordHistory,
): RecordChange | null {
  const isInMemory: IsInMemory = (machine, fromMs) => fromMs >= history.inMemoryFromMs(machine)
  const readAffected = affectedHistory(change, records, history)
  const read = {
    offset,
    affected: findAffectedHours(change, records, isInMemory),
    readAffected: readAffected && onceResolved(readAffected),
    promotions: promotionsOf(change, offset),
    companyRef: change.kind === 'company' ? (change.after?.ref ?? null) : null,
  }
  const isRelevant =
    read.affected.length > 0 || readAffected !== null || read.promotions.length > 0 || read.companyRef !== null
  return isRelevant ? read : null
}

/** Returns a function that reads once for all partitions, and again after a failure. */
function onceResolved<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | null = null
  return () =>
    (pending ??= read().catch((error: unknown) => {
      pending = null
      throw error
    }))
}

/** The changes that a partition must process after a later take-over, independent of its previous owner. */
export class PastChanges {
  #changes: RecordChange[] = []
  #forgotten = -1

  get size(): number {
    return this.#changes.length
  }

  /** Offset in records.v1 up to which the documents of every partition include all changes; -1: unknown. */
  get forgottenOffset(): number {
    return this.#forgotten
  }

  add(change: RecordChange): void {
    this.#changes.push(change)
  }

  after(offset: number): readonly RecordChange[] {
    return this.#changes.filter(change => change.offset > offset)
  }

  /** Forgets the changes that the documents of every partition include; `stored`: stored offsets by partition. */
  forgetStored(stored: ReadonlyMap<number, number>, partitions: number): void {
    if (stored.size < partitions) return
    this.#forgotten = Math.max(this.#forgotten, Math.min(...stored.values()))
    this.#changes = [...this.after(this.#forgotten)]
  }
}

export interface ChangeQueueDeps {
  /** Applies a change to the partition; called again after a failure. */
  readonly apply: (change: RecordChange) => Promise<void>
  readonly logger: Pick<Logger, 'error'>
  readonly failure: RepeatedFailure
  readonly signal: AbortSignal
}

/** Delivers changes to one partition, one after the other. A failed one is retried until it succeeds. */
export class ChangeQueue {
  readonly #deps: ChangeQueueDeps
  #waiting: RecordChange[] = []
  #isApplying = false

  constructor(deps: ChangeQueueDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#waiting.length
  }

  add(changes: readonly RecordChange[]): void {
    this.#waiting.push(...changes)
    if (this.#isApplying) return
    this.#isApplying = true
    const { signal, logger } = this.#deps
    this.#applyAll().catch((error: unknown) => {
      this.#isApplying = false
      if (!signal.aborted) logger.error({ err: error }, 'Failed to deliver changes')
    })
  }

  async #applyAll(): Promise<void> {
    const { apply, logger, failure, signal } = this.#deps
    for (let [change] = this.#waiting; change; [change] = this.#waiting) {
      const current = change
      const { offset } = current
      const message = `A change of records (offset ${offset}) cannot be processed: documents do not reflect it. The log of the process has the error.`
      const onRetry = (error: unknown) => {
        logger.error({ err: error, offset }, 'Failed to process a change of records, retrying')
        failure.failed(error, () => ({ code: 'documents_failing', message, topic: topics.records, offset }))
      }
      await retry(() => apply(current), { signal, maxDelayMs: 5_000, onRetry })
      failure.ended()
      this.#waiting.shift()
    }
    // Synchronous with the last check, so that no change is left behind.
    this.#isApplying = false
  }
}
