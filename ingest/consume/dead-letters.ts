import type { LogRecord, RecordDefect } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import { type DeadLetter, type DeadLetterReason, replayHeader } from '../../schema/topics.ts'
import { maxDeadLetterLength, textOfRecord } from '../decode/dead-letters.ts'
import { SamplePacker } from '../decode/pack-samples.ts'
import type { Decoded } from '../decode/judge.ts'
import { wireSample } from '../decode/wire-sample.ts'

type Told = Pick<DeadLetter, 'reason' | 'message' | 'value'>

/** Reasons and messages of one record that have dead letters of their own; those of the others tell the reason alone. */
const mostMessages = 100

/** Cause that all samples of one dead letter share, and the record that they came in. */
interface Refusal extends Pick<DeadLetter, 'reason' | 'message'> {
  readonly source: LogRecord
}

/**
 * Dead letters of samples that are not taken, as they come. A dead letter holds many samples of one record that are refused for one
 * reason, with one message where that is possible: a record cannot make more dead letters than a few for each of its megabytes.
 */
export class DeadLetters {
  readonly #deadLetters: DeadLetter[] = []
  readonly #counts = new Map<DeadLetterReason, number>()
  readonly #packer = new SamplePacker<Refusal>(mostMessages, ({ source, reason, message }, value) =>
    this.#keep(source, { reason, message, value }),
  )
  #offset = -1

  /** How many samples were refused, by reason. */
  get counts(): ReadonlyMap<DeadLetterReason, number> {
    return this.#counts
  }

  /** Whether a sample was refused for this reason. */
  has(reason: DeadLetterReason): boolean {
    return this.#counts.has(reason)
  }

  /**
   * Adds the rejected samples of a record. Where all samples were rejected for one reason, the record's own text is one
   * dead letter. `isText`: the record is text, not compact.
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

  /** Adds a record that could not be decoded. It has no value: how many samples it held is unknown, and it counts as one. */
  addUndecodable(
    record: LogRecord,
    { firstOffset, message }: Extract<RecordDefect, { readonly kind: 'undecodable' }>,
  ): void {
    const offsets = firstOffset === record.offset ? '' : ` (offsets ${firstOffset} to ${record.offset})`
    const reason = 'undecodable_record'
    this.#count(reason, 1)
    this.#keep(record, { reason, message: message + offsets, value: '' })
  }

  /** A sample, as JSON text of its own. */
  add(record: LogRecord, { reason, message, value }: Told): void {
    this.#count(reason, 1)
    if (record.offset !== this.#offset) this.#packer.end()
    this.#offset = record.offset
    this.#packer.add(`${reason} ${message}`, reason, value, isShared => ({
      source: record,
      reason,
      message: isShared ? 'several faults' : message,
    }))
  }

  /** All of them, so far. */
  all(): readonly DeadLetter[] {
    this.#packer.end()
    return this.#deadLetters
  }

  #keep(source: LogRecord, told: Told): void {
    if (!isReplay(source)) this.#deadLetters.push(deadLetter(source, told))
  }

  #count(reason: DeadLetterReason, samples: number): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + samples)
  }
}

/** Whether a record is a dead letter that was sent again: where it is refused, it makes no further one. */
export function isReplay({ headers }: LogRecord): boolean {
  return replayHeader in headers
}

/** The dead letter of a sample that was decoded and is not taken all the same. */
export function refusedSample(
  record: LogRecord,
  machineId: string,
  sample: Sample,
  { reason, message }: Pick<DeadLetter, 'reason' | 'message'>,
): DeadLetter {
  return deadLetter(record, { reason, message, value: JSON.stringify(wireSample(machineId, sample)) })
}

function deadLetter(
  { topic, partition, offset, timestampMs }: LogRecord,
  { reason, message, value }: Told,
): DeadLetter {
  return { reason, message, value, topic, partition, offset, appendedAtMs: timestampMs }
}
