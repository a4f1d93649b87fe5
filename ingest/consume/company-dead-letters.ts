import type { Log } from '../../log/log.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { type DeadLetter, type DeadLetterReason, topics } from '../../schema/topics.ts'
import type { MachineLookup } from '../decode/machine.ts'
import { flatten, machineIdOf } from '../decode/record.ts'

/** Whose dead letters are looked at. */
export interface OfCompany {
  readonly companyRef: CompanyRef
  /** Whether the installation has no other company: then what names none is of this one, too. */
  readonly isAlone: boolean
  readonly find: MachineLookup
}

/** Dead letters of one reason. Times are UTC ms. */
export interface CompanyDeadLetters {
  readonly reason: DeadLetterReason
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
  /** The latest of them, newest first. */
  readonly latest: readonly {
    readonly atMs: number
    readonly message: string
    readonly machineIds: readonly string[]
    readonly value: string
  }[]
}

const mostLatest = 20
const mostMachines = 20
const mostValueChars = 2000

/** The dead letters of a company that are there now, by reason, most first. */
export async function companyDeadLetters(
  log: Pick<Log, 'follow'>,
  of: OfCompany,
): Promise<readonly CompanyDeadLetters[]> {
  const found = new Map<DeadLetterReason, CompanyDeadLetters>()
  const follower = await log.follow({
    topic: topics.deadLetters,
    from: 'earliest',
    onBatch: batch => {
      for (const { value } of batch.records) {
        const deadLetter: DeadLetter = JSON.parse(value.toString())
        if (isOf(deadLetter, of)) found.set(deadLetter.reason, withOne(found.get(deadLetter.reason), deadLetter))
      }
    },
  })
  try {
    await follower.caughtUp
  } finally {
    await follower.stop()
  }
  return [...found.values()].sort((a, b) => b.count - a.count)
}

/** Whether a dead letter is the company's: its key sent it, or all machines that it names are the company's. */
export function isOf({ value, companyRef: sender }: DeadLetter, { companyRef, isAlone, find }: OfCompany): boolean {
  if (sender !== undefined) return sender === companyRef
  const machines = machineIdsOf(value).map(find)
  const isTheirs = machines.length > 0 && machines.every(machine => machine?.companyRef === companyRef)
  return isTheirs || isAlone
}

function withOne(before: CompanyDeadLetters | undefined, deadLetter: DeadLetter): CompanyDeadLetters {
  const { reason, message, value, appendedAtMs: atMs } = deadLetter
  const machineIds = machineIdsOf(value).slice(0, mostMachines)
  const one = { atMs, message, machineIds, value: value.slice(0, mostValueChars) }
  return {
    reason,
    count: (before?.count ?? 0) + 1,
    firstMs: Math.min(before?.firstMs ?? Infinity, atMs),
    lastMs: Math.max(before?.lastMs ?? -Infinity, atMs),
    latest: [one, ...(before?.latest ?? [])].slice(0, mostLatest),
  }
}

/** Machines that a dead letter's samples name; none where it can't be read. */
export function machineIdsOf(value: string): readonly string[] {
  try {
    const ids = flatten(JSON.parse(value)).map(sample => machineIdOf(sample) ?? '')
    return [...new Set(ids)]
  } catch {
    return []
  }
}
