import { randomUUID } from 'node:crypto'
import { RepeatedFailure } from '../shared/async/repeated-failure.ts'
import type { Problems } from '../shared/problems.ts'
import { reportDamagedRecord } from './damaged-record.ts'
import type { Batch, LogRecord, RecordDefect } from './log.ts'

interface DeliveryOptions {
  readonly topic: string
  readonly partition: number
  /** Group of the consumer; absent: a follower. */
  readonly group?: string | undefined
  readonly acceptsDefects?: boolean | undefined
  /** Whether a tombstone is a sound record, because it deletes its key. */
  readonly isCompacted?: boolean | undefined
  readonly onBatch: (batch: Batch) => Promise<void> | void
  readonly problems?: Problems | undefined
}

/**
 * Passes the records of one partition to their handler, and reports problems: a handler that fails repeatedly, and
 * records that cannot be decoded.
 */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #failure: RepeatedFailure

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#failure = new RepeatedFailure(options.problems, `delivery ${randomUUID()}`)
  }

  /**
   * Passes records to the handler; rejects with its error. Records with a defect are reported and omitted, unless the
   * handler accepts them.
   */
  async deliver(records: readonly LogRecord[]): Promise<void> {
    const { topic, partition, acceptsDefects = false, isCompacted = false, onBatch } = this.#options
    const isSound = ({ defect }: LogRecord) => defect === undefined || (isCompacted && defect.kind === 'tombstone')
    const accepted = acceptsDefects || records.every(isSound) ? records : records.filter(isSound)
    if (accepted.length < records.length)
      for (const record of records) if (!isSound(record)) this.#report(record.offset, record.defect)
    if (accepted.length > 0) await onBatch({ topic, partition, records: accepted })
  }

  /** Records that reading or handling has failed and will be retried. `offset`: first unhandled record, if known. */
  failed(error: unknown, offset?: number): void {
    const { topic, partition, group } = this.#options
    const place = offset === undefined ? '' : ` at offset ${offset}`
    const reader = group === undefined ? 'A reader' : `The consumer ${group}`
    const what = error instanceof Error ? error.name : 'error'
    this.#failure.failed(error, () => ({
      code: 'consumer_failing',
      message: `${reader} of ${topic}, partition ${partition}, fails repeatedly${place} (${what}). Later records of the partition are not processed. The log of the process contains the error.`,
      topic,
      partition,
      ...(offset !== undefined && { offset }),
    }))
  }

  /** Clears the problem: records were handled, or the partition is no longer read. */
  ended(): void {
    this.#failure.ended()
  }

  #report(offset: number, defect: RecordDefect | undefined): void {
    if (!defect) return
    const { topic, partition, problems } = this.#options
    const why = defect.kind === 'undecodable' ? defect.message : 'the record has no value'
    reportDamagedRecord(problems, { topic, partition, offset, firstOffset: defect.firstOffset, why })
  }
}
