import { topics } from '../../schema/topics.ts'
import type { FailingWork, RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Logger } from 'pino'
import type { Change } from '../../schema/records/record-kinds.ts'
import { findAffectedHours, type AffectedHours } from '../records/affected.ts'
import type { Records } from '../records/records.ts'
import { retry } from '../../shared/async/retry.ts'
import { promotionsOf, type Promotion } from './promotions.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** A change of the records as the documents see it. */
export interface RecordChange {
  readonly offset: number
  readonly affected: readonly AffectedHours[]
  readonly promotions: readonly Promotion[]
  /** `ref` of the company that is new or changed; null: none is. */
  readonly companyRef: CompanyRef | null
}

/** Reads a change; null: no document depends on it. Call it from an `onChange` listener, like `findAffectedHours`. */
export function readChange(change: Change, offset: number, records: Records): RecordChange | null {
  const read = {
    offset,
    affected: findAffectedHours(change, records),
    promotions: promotionsOf(change, offset),
    companyRef: change.kind === 'company' ? (change.after?.ref ?? null) : null,
  }
  return read.affected.length > 0 || read.promotions.length > 0 || read.companyRef !== null ? read : null
}

/** The changes that a partition must process after a later take-over, independent of its previous owner. */
export class PastChanges {
  #changes: RecordChange[] = []
  #forgotten = -1

  get size(): number {
    return this.#changes.length
  }

  /** Whether every partition's documents follow the records up to this offset. */
  isForgotten(offset: number): boolean {
    return offset <= this.#forgotten
  }

  add(change: RecordChange): void {
    this.#changes.push(change)
  }

  /** Changes after an offset, in order. */
  after(offset: number): readonly RecordChange[] {
    return this.#changes.filter(change => change.offset > offset)
  }

  /** Forgets what every partition has stored as done: `stored` is the offset of each that has one. */
  forgetStored(stored: ReadonlyMap<number, number>, partitions: number): void {
    if (stored.size < partitions) return
    this.#forgotten = Math.max(this.#forgotten, Math.min(...stored.values()))
    this.#changes = this.#changes.filter(({ offset }) => !this.isForgotten(offset))
  }
}

export interface ChangeQueueDeps {
  /** Works a change into the partition; may be called again with one that failed. */
  readonly hand: (change: RecordChange) => Promise<void>
  readonly logger: Pick<Logger, 'error'>
  readonly failure: RepeatedFailure
  /** Ends the attempts. */
  readonly signal: AbortSignal
}

function changeFailing(offset: number): FailingWork {
  return {
    code: 'documents_failing',
    message: `A change of records (offset ${offset}) cannot be processed: documents do not reflect it. The log of the process has the error.`,
    topic: topics.records,
    offset,
  }
}

/** Delivers changes to one partition, one after the other. A failed one is retried until it succeeds. */
export class ChangeQueue {
  readonly #deps: ChangeQueueDeps
  #waiting: RecordChange[] = []
  #isHanding = false

  constructor(deps: ChangeQueueDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#waiting.length
  }

  add(changes: readonly RecordChange[]): void {
    this.#waiting.push(...changes)
    if (this.#isHanding) return
    this.#isHanding = true
    this.#handAll().catch((error: unknown) => {
      this.#isHanding = false
      if (!this.#deps.signal.aborted) this.#deps.logger.error({ err: error }, 'Failed to deliver changes')
    })
  }

  async #handAll(): Promise<void> {
    const { hand, logger, failure, signal } = this.#deps
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const change = next
      await retry(() => hand(change), {
        signal,
        maxDelayMs: 5_000,
        onRetry: error => {
          logger.error({ err: error, offset: change.offset }, 'Failed to process a change of records, retrying')
          failure.failed(error, () => changeFailing(change.offset))
        },
      })
      failure.ended()
      this.#waiting.shift()
    }
    // In the same step as the last check of the queue: a change added later starts a new delivery.
    this.#isHanding = false
  }
}
