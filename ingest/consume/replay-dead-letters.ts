import type { Batch, Log } from '../../log/log.ts'
import { topics, type DeadLetter, type DeadLetterReason } from '../../schema/topics.ts'
import type { MachineInfo, MachineLookup } from '../decode/machine.ts'
import { isOf, machineIdsOf, type OfCompany } from './company-dead-letters.ts'

export interface ReplayOptions {
  readonly log: Log
  readonly machines: { readonly find: MachineLookup }
  /** Dead letters of this reason are replayed; `unknown_machine` by default. */
  readonly reason?: DeadLetterReason
  /** Only those of a company. */
  readonly of?: OfCompany
}

export interface ReplayResult {
  readonly replayed: number
  /** Dead letters of the reason whose machine still does not exist, or belongs to another company than the sender. */
  readonly passedOver: number
}

/**
 * Appends dead letters to samples.v1 again, all that are there now and whose machine exists by now. Samples that come twice are
 * one sample, so doing it again changes nothing.
 */
export async function replayDeadLetters({
  log,
  machines,
  reason = 'unknown_machine',
  of,
}: ReplayOptions): Promise<ReplayResult> {
  const counts = { replayed: 0, passedOver: 0 }
  const follower = await log.follow({
    topic: topics.deadLetters,
    from: 'earliest',
    onBatch: async batch => {
      const deadLetters = deadLettersOf(batch).filter(
        deadLetter => deadLetter.reason === reason && (!of || isOf(deadLetter, of)),
      )
      const known = deadLetters.filter(deadLetter => isForKnownMachine(deadLetter, machines.find))
      if (known.length > 0) await log.append(topics.samples, known.map(toRecord))
      counts.replayed += known.length
      counts.passedOver += deadLetters.length - known.length
    },
  })
  try {
    await follower.caughtUp
    return counts
  } finally {
    await follower.stop()
  }
}

function deadLettersOf(batch: Batch): readonly DeadLetter[] {
  return batch.records.map((record): DeadLetter => JSON.parse(record.value.toString()))
}

function toRecord({ value }: DeadLetter) {
  return { key: machineIdsOf(value)[0] ?? null, value: Buffer.from(value) }
}

/** Every sample of a dead letter that came over HTTP must be for a machine of the company whose key sent it. */
function isForKnownMachine({ value, companyRef }: DeadLetter, find: MachineLookup): boolean {
  const machines = machineIdsOf(value).map(find)
  const isTheirs = (machine: MachineInfo) => companyRef === undefined || machine.companyRef === companyRef
  return machines.length > 0 && machines.every(machine => machine !== undefined && isTheirs(machine))
}
