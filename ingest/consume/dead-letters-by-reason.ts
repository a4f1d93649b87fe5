import type { Log } from '../../log/log.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { DeadLetter, DeadLetterReason } from '../../schema/topics.ts'
import { machineIdOf, type MachineLookup } from '../decode/validate.ts'
import { eachDeadLetter, readSamples, type ReadingOptions } from './each-dead-letter.ts'

/** The company whose dead letters are read. */
export interface OfCompany {
  readonly companyRef: CompanyRef
  /** Whether it is the only company: then dead letters without a company belong to it, too. */
  readonly isAlone: boolean
  readonly find: MachineLookup
}

/** Samples in the dead letters of one reason. */
export interface DeadLetterSummary {
  readonly reason: DeadLetterReason
  readonly count: number
  /** Times at which the first and the last of them were sent, UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
  /** Message of the last of them. */
  readonly message: string
}

/** Dead letters of one reason. */
export interface CompanyDeadLetters extends Omit<DeadLetterSummary, 'message'> {
  /** The latest of them, newest first. */
  readonly latest: readonly {
    readonly atMs: number
    readonly message: string
    readonly machineIds: readonly string[]
    readonly value: string
  }[]
}

const maxLatest = 20
const maxMachines = 20
const maxValueChars = 2000

/** Dead letters of a reason while they are collected; `latest` newest first. */
interface Gathered {
  readonly reason: DeadLetterReason
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
  const found = await gatherAll(log, deadLetter => isOf(deadLetter, of), options)
  return found.map(({ latest, ...counts }) => Object.assign(counts, { latest: latest.map(shown) }))
}

/** Counts the samples in the present dead letters by reason, the highest count first. Rejects like `eachDeadLetter`. */
export async function summarizeDeadLetters(
  log: Pick<Log, 'follow'>,
  options: ReadingOptions = {},
): Promise<readonly DeadLetterSummary[]> {
  const found = await gatherAll(log, () => true, options)
  return found.map(({ latest, ...counts }) => Object.assign(counts, { message: latest[0]?.message ?? '' }))
}

async function gatherAll(
  log: Pick<Log, 'follow'>,
  isIncluded: (deadLetter: DeadLetter) => boolean,
  options: ReadingOptions,
): Promise<readonly Gathered[]> {
  const found = new Map<DeadLetterReason, Gathered>()
  const visit = async (deadLetters: AsyncIterable<DeadLetter>): Promise<void> => {
    for await (const deadLetter of deadLetters) if (isIncluded(deadLetter)) gather(found, deadLetter)
  }
  await eachDeadLetter(log, visit, options)
  return [...found.values()].sort((a, b) => b.count - a.count)
}

/** Whether a dead letter belongs to the company: one of its keys sent it, or all its machines belong to the company. */
export function isOf(deadLetter: DeadLetter, { companyRef, isAlone, find }: OfCompany): boolean {
  const { companyRef: sender } = deadLetter
  if (sender !== undefined) return sender === companyRef
  if (isAlone) return true
  const machines = machineIdsOf(deadLetter).map(find)
  return machines.length > 0 && machines.every(machine => machine?.companyRef === companyRef)
}

function gather(found: Map<DeadLetterReason, Gathered>, deadLetter: DeadLetter): void {
  const { reason, appendedAtMs: atMs } = deadLetter
  const gathered = found.get(reason) ?? { reason, count: 0, firstMs: Infinity, lastMs: -Infinity, latest: [] }
  // An unreadable dead letter counts as one sample.
  gathered.count += Math.max(1, readSamples(deadLetter).length)
  gathered.firstMs = Math.min(gathered.firstMs, atMs)
  gathered.lastMs = Math.max(gathered.lastMs, atMs)
  gathered.latest = [deadLetter, ...gathered.latest].slice(0, maxLatest)
  found.set(reason, gathered)
}

function shown(deadLetter: DeadLetter): CompanyDeadLetters['latest'][number] {
  const { appendedAtMs: atMs, message, value } = deadLetter
  const machineIds = machineIdsOf(deadLetter).slice(0, maxMachines)
  return { atMs, message, machineIds, value: value.slice(0, maxValueChars) }
}

/** Machine ids in a dead letter's samples; empty if it is unreadable. */
function machineIdsOf(deadLetter: DeadLetter): readonly string[] {
  return [...new Set(readSamples(deadLetter).map(sample => machineIdOf(sample) ?? ''))]
}
