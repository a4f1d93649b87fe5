import type { Log, NewRecord } from '../../log/log.ts'
import { replayHeader, topics, type DeadLetter, type DeadLetterReason } from '../../schema/topics.ts'
import type { MachineLookup } from '../decode/validate.ts'
import { decodeRecord } from '../decode/record.ts'
import { wireSample } from '../decode/dead-letters.ts'
import { isOf, type OfCompany } from './dead-letters-by-reason.ts'
import { eachDeadLetter, type ReadingOptions } from './each-dead-letter.ts'

interface ReplayOptions extends ReadingOptions {
  readonly log: Log
  readonly machines: { readonly find: MachineLookup }
  /** UTC ms; the age of samples is relative to it. */
  readonly nowMs: number
  /** Reason of the dead letters to replay; `unknown_machine` by default. */
  readonly reason?: DeadLetterReason
  /** Only those of a company. */
  readonly of?: OfCompany
}

export interface ReplayResult {
  readonly replayed: number
  /**
   * Number of samples that would be rejected again: their machine does not exist, belongs to another company, or they
   * are invalid.
   */
  readonly passedOver: number
}

const maxPerAppend = 500

/**
 * Appends the present dead letters to samples.v1 again, with the samples that would be accepted. A repetition changes
 * nothing, because duplicate samples count once; a sample that ingest rejects again creates no further dead letter.
 * Rejects like `eachDeadLetter`, and with `LogUnavailable`.
 */
export async function replayDeadLetters({
  log,
  machines,
  nowMs,
  reason = 'unknown_machine',
  of,
  ...options
}: ReplayOptions): Promise<ReplayResult> {
  const counts = { replayed: 0, passedOver: 0 }
  const send = async (replays: Replay[]): Promise<void> => {
    const records = replays.flatMap(({ record }) => record ?? [])
    if (records.length > 0) await log.append(topics.samples, records)
    for (const { accepted, rejected } of replays) {
      counts.replayed += accepted
      counts.passedOver += rejected
    }
    replays.length = 0
  }
  const visit = async (deadLetters: AsyncIterable<DeadLetter>): Promise<void> => {
    const replays: Replay[] = []
    for await (const deadLetter of deadLetters) {
      if (deadLetter.reason !== reason || (of && !isOf(deadLetter, of))) continue
      replays.push(replayOf(deadLetter, machines.find, nowMs))
      if (replays.length >= maxPerAppend) await send(replays)
    }
    await send(replays)
  }
  await eachDeadLetter(log, visit, options)
  return counts
}

/** Samples of a dead letter to replay. */
interface Replay {
  /** null: none. */
  readonly record: NewRecord | null
  /** Number of samples in the record, and of the other samples. */
  readonly accepted: number
  readonly rejected: number
}

/**
 * Builds a record of the samples that would be accepted. If the sender's company is known, the machine must belong to
 * it.
 */
function replayOf({ value, companyRef }: DeadLetter, find: MachineLookup, nowMs: number): Replay {
  const machine: MachineLookup = id => {
    const found = find(id)
    return companyRef === undefined || found?.companyRef === companyRef ? found : undefined
  }
  const { accepted, rejected } = decodeRecord(Buffer.from(value), { machine, appendedAtMs: nowMs })
  const counts = { accepted: accepted.length, rejected: rejected.length }
  const [first] = accepted
  if (!first) return { record: null, ...counts }
  const replayed =
    rejected.length === 0
      ? value
      : JSON.stringify(accepted.map(({ machine: { id }, sample }) => wireSample(id, sample)))
  const record = { key: first.machine.id, value: Buffer.from(replayed), headers: { [replayHeader]: '1' } }
  return { record, ...counts }
}
