import type { Log, NewRecord } from '../../log/log.ts'
import { replayHeader, topics, type DeadLetter, type DeadLetterReason } from '../../schema/topics.ts'
import type { MachineLookup } from '../decode/machine.ts'
import { decodeRecord } from '../decode/record.ts'
import { wireSample } from '../decode/wire-sample.ts'
import { isOf, type OfCompany } from './company-dead-letters.ts'
import { eachDeadLetter, type ReadingOptions } from './each-dead-letter.ts'

interface ReplayOptions extends ReadingOptions {
  readonly log: Log
  readonly machines: { readonly find: MachineLookup }
  /** UTC ms: the age of samples is judged by it. */
  readonly nowMs: number
  /** Dead letters of this reason are replayed; `unknown_machine` by default. */
  readonly reason?: DeadLetterReason
  /** Only those of a company. */
  readonly of?: OfCompany
}

export interface ReplayResult {
  /** Number of samples. */
  readonly replayed: number
  /** Number of samples that would be rejected again: their machine does not exist, is not the sender's, or they are invalid. */
  readonly passedOver: number
}

/** So many are appended at once. */
const atOnce = 500

/**
 * Appends dead letters to samples.v1 again: all that are there now, with those of their samples that would be taken. Samples that come twice are
 * one sample, so doing it again changes nothing; one that ingest refuses again makes no further dead letter. Rejects as `eachDeadLetter`,
 * and with `LogUnavailable`.
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
      if (replays.length >= atOnce) await send(replays)
    }
    await send(replays)
  }
  await eachDeadLetter(log, visit, options)
  return counts
}

/** Samples of a dead letter that are sent again. */
interface Replay {
  /** null: nothing. */
  readonly record: NewRecord | null
  /** Number of samples in the record, and of the other samples. */
  readonly accepted: number
  readonly rejected: number
}

/** Makes a record of the samples that would be accepted. If the sender's company is known, the machine must belong to it. */
function replayOf({ value, companyRef }: DeadLetter, find: MachineLookup, nowMs: number): Replay {
  const machine: MachineLookup = id => {
    const found = find(id)
    return companyRef === undefined || found?.companyRef === companyRef ? found : undefined
  }
  const { accepted, rejected } = decodeRecord(Buffer.from(value), { machine, appendedAtMs: nowMs })
  const counts = { accepted: accepted.length, rejected: rejected.length }
  const [first] = accepted
  if (!first) return { record: null, ...counts }
  const taken =
    rejected.length === 0
      ? value
      : JSON.stringify(accepted.map(({ machine: { id }, sample }) => wireSample(id, sample)))
  const record = { key: first.machine.id, value: Buffer.from(taken), headers: { [replayHeader]: '1' } }
  return { record, ...counts }
}
