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
  readonly replayed: number
  /** Dead letters of the reason that would be refused again: their machine does not exist, is not the sender's, or they have faults. */
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
  const send = async (records: NewRecord[]): Promise<void> => {
    if (records.length === 0) return
    await log.append(topics.samples, records)
    counts.replayed += records.length
    records.length = 0
  }
  const visit = async (deadLetters: AsyncIterable<DeadLetter>): Promise<void> => {
    const records: NewRecord[] = []
    for await (const deadLetter of deadLetters) {
      if (deadLetter.reason !== reason || (of && !isOf(deadLetter, of))) continue
      const record = recordOf(deadLetter, machines.find, nowMs)
      if (record) records.push(record)
      else counts.passedOver++
      if (records.length >= atOnce) await send(records)
    }
    await send(records)
  }
  await eachDeadLetter(log, visit, options)
  return counts
}

/**
 * The record of the dead letter's samples that would be taken; null: none would be. That of a sender whose company is known must be for a
 * machine of this company.
 */
function recordOf({ value, companyRef }: DeadLetter, find: MachineLookup, nowMs: number): NewRecord | null {
  const machine: MachineLookup = id => {
    const found = find(id)
    return companyRef === undefined || found?.companyRef === companyRef ? found : undefined
  }
  const { accepted, rejected } = decodeRecord(Buffer.from(value), { machine, appendedAtMs: nowMs })
  const [first] = accepted
  if (!first) return null
  const taken =
    rejected.length === 0
      ? value
      : JSON.stringify(accepted.map(({ machine: { id }, sample }) => wireSample(id, sample)))
  return { key: first.machine.id, value: Buffer.from(taken), headers: { [replayHeader]: '1' } }
}
