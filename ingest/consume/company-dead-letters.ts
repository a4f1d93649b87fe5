import type { Log } from '../../log/log.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { DeadLetter, DeadLetterReason } from '../../schema/topics.ts'
import type { MachineLookup } from '../decode/machine.ts'
import { machineIdOf } from '../decode/validate.ts'
import { flatten } from '../decode/json.ts'
import { eachDeadLetter, type ReadingOptions, samplesIn } from './each-dead-letter.ts'

/** The company whose dead letters are read. */
export interface OfCompany {
  readonly companyRef: CompanyRef
  /** Whether it is the only company: then dead letters without a company belong to it, too. */
  readonly isAlone: boolean
  readonly find: MachineLookup
}

/** Dead letters of one reason. Times are UTC ms. */
export interface CompanyDeadLetters {
  readonly reason: DeadLetterReason
  /** Number of samples. */
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

/** Dead letters of a reason while they are collected; `latest` newest first. */
interface Gathered {
  count: number
  firstMs: number
  lastMs: number
  latest: readonly DeadLetter[]
}

/**
 * The present dead letters of a company by reason, the highest count of samples first. Rejects like `eachDeadLetter`.
 */
export async function companyDeadLetters(
  log: Pick<Log, 'follow'>,
  of: OfCompany,
  options: ReadingOptions = {},
): Promise<readonly CompanyDeadLetters[]> {
  const found = new Map<DeadLetterReason, Gathered>()
  const visit = async (deadLetters: AsyncIterable<DeadLetter>): Promise<void> => {
    for await (const deadLetter of deadLetters) if (isOf(deadLetter, of)) gather(found, deadLetter)
  }
  await eachDeadLetter(log, visit, options)
  return [...found]
    .map(([reason, { count, firstMs, lastMs, latest }]) => ({
      reason,
      count,
      firstMs,
      lastMs,
      latest: latest.map(shown),
    }))
    .sort((a, b) => b.count - a.count)
}

/** Whether a dead letter belongs to the company: one of its keys sent it, or all its machines belong to the company. */
export function isOf({ value, companyRef: sender }: DeadLetter, { companyRef, isAlone, find }: OfCompany): boolean {
  if (sender !== undefined) return sender === companyRef
  if (isAlone) return true
  const machines = machineIdsOf(value).map(find)
  return machines.length > 0 && machines.every(machine => machine?.companyRef === companyRef)
}

function gather(found: Map<DeadLetterReason, Gathered>, deadLetter: DeadLetter): void {
  const { reason, appendedAtMs: atMs } = deadLetter
  const gathered = found.get(reason) ?? { count: 0, firstMs: Infinity, lastMs: -Infinity, latest: [] }
  gathered.count += samplesIn(deadLetter)
  gathered.firstMs = Math.min(gathered.firstMs, atMs)
  gathered.lastMs = Math.max(gathered.lastMs, atMs)
  gathered.latest = [deadLetter, ...gathered.latest].slice(0, mostLatest)
  found.set(reason, gathered)
}

function shown({ appendedAtMs: atMs, message, value }: DeadLetter): CompanyDeadLetters['latest'][number] {
  const machineIds = machineIdsOf(value).slice(0, mostMachines)
  return { atMs, message, machineIds, value: value.slice(0, mostValueChars) }
}

/** Machine ids in a dead letter's samples; empty if it is unreadable. */
function machineIdsOf(value: string): readonly string[] {
  try {
    const ids = flatten(JSON.parse(value)).map(sample => machineIdOf(sample) ?? '')
    return [...new Set(ids)]
  } catch {
    return []
  }
}
