import type { LogRecord, RecordDefect } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import { type DeadLetter, type DeadLetterReason, replayHeader } from '../../schema/topics.ts'
import { maxDeadLetterLength, SamplePacker, textOfRecord, wireSample } from '../decode/dead-letters.ts'
import type { Decoded } from '../decode/validate.ts'

type RejectedSample = Pick<DeadLetter, 'reason' | 'message' | 'value'>

/**
 * Limit of reasons and messages per record that have separate dead letters; further ones share a dead letter per
 * reason.
 */
const maxMessages = 100

/** Common cause of all samples of a dead letter, and their record. */
interface Refusal extends Pick<DeadLetter, 'reason' | 'message'> {
  readonly source: LogRecord
}

/**
 * Collects dead letters of rejected samples. A dead letter contains many samples of one record with one reason and, if
 * possible, one message, so that a record creates only a few dead letters per megabyte.
 */
export class DeadLetters {
  readonly #deadLetters: DeadLetter[] = []
  readonly #counts = new Map<DeadLetterReason, number>()
  readonly #packer = new SamplePacker<Refusal>(maxMessages, ({ source, reason, message }, value) =>
    this.#keep(source, { reason, message, value }),
  )
  #offset = -1

  /** Number of rejected samples by reason. */
  get counts(): ReadonlyMap<DeadLetterReason, number> {
    return this.#counts
  }

  /** Whether a sample was rejected for this reason. */
  has(reason: DeadLetterReason): boolean {
    return this.#counts.has(reason)
  }

  /**
   * Adds the rejected samples of a record. If all samples were rejected for one reason, the text of the record becomes
   * one dead letter. `isText`: the record is text, not compact.
   */
  addRejected(record: LogRecord, { accepted, rejected }: Decoded, isText: boolean): void {
    const [first, ...others] = rejected
    if (first === undefined) return
    const isOne = others.every(({ reason, message }) => reason === first.reason && message === first.message)
    const isWhole = isText && record.value.length <= maxDeadLetterLength
    if (isOne && accepted.length === 0 && isWhole) {
      this.#count(first.reason, rejected.length)
      this.#keep(record, { ...first, value: textOfRecord(record.value) })
    } else for (const each of rejected) this.add(record, each)
  }

  /** Adds a record that could not be decoded. It counts as one sample, because the number of its samples is unknown. */
  addUndecodable(
    record: LogRecord,
    { firstOffset, message }: Extract<RecordDefect, { readonly kind: 'undecodable' }>,
  ): void {
    const offsets = firstOffset === record.offset ? '' : ` (offsets ${firstOffset} to ${record.offset})`
    const reason = 'undecodable_record'
    this.#count(reason, 1)
    this.#keep(record, { reason, message: message + offsets, value: '' })
  }

  /** Adds a sample as JSON text. */
  add(record: LogRecord, { reason, message, value }: RejectedSample): void {
    this.#count(reason, 1)
    if (record.offset !== this.#offset) this.#packer.end()
    this.#offset = record.offset
    this.#packer.add(`${reason} ${message}`, reason, value, isShared => ({
      source: record,
      reason,
      message: isShared ? 'several errors' : message,
    }))
  }

  /** Completes and returns all dead letters. */
  all(): readonly DeadLetter[] {
    this.#packer.end()
    return this.#deadLetters
  }

  #keep(source: LogRecord, rejected: RejectedSample): void {
    if (!isReplay(source)) this.#deadLetters.push(deadLetter(source, rejected))
  }

  #count(reason: DeadLetterReason, samples: number): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + samples)
  }
}

/** Whether a record is a replayed dead letter: its rejection creates no further one. */
export function isReplay({ headers }: LogRecord): boolean {
  return replayHeader in headers
}

/** Creates the dead letter of a sample that was decoded but not accepted. */
export function rejectedSample(
  record: LogRecord,
  machineId: string,
  sample: Sample,
  { reason, message }: Pick<DeadLetter, 'reason' | 'message'>,
): DeadLetter {
  return deadLetter(record, { reason, message, value: JSON.stringify(wireSample(machineId, sample)) })
}

function deadLetter(
  { topic, partition, offset, timestampMs }: LogRecord,
  { reason, message, value }: RejectedSample,
): DeadLetter {
  return { reason, message, value, topic, partition, offset, appendedAtMs: timestampMs }
}
