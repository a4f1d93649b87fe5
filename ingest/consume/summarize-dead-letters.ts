import type { Log } from '../../log/log.ts'
import type { DeadLetter, DeadLetterReason } from '../../schema/topics.ts'
import { eachDeadLetter, type ReadingOptions, samplesIn } from './each-dead-letter.ts'

export interface DeadLetterSummary {
  readonly reason: DeadLetterReason
  /** Number of samples. */
  readonly count: number
  /** Times at which the first and the last of them were sent, UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
  /** Message of the last of them. */
  readonly message: string
}

/** Counts the samples in the present dead letters by reason, the highest count first. */
export async function summarizeDeadLetters(
  log: Pick<Log, 'follow'>,
  options: ReadingOptions = {},
): Promise<readonly DeadLetterSummary[]> {
  const summaries = new Map<DeadLetterReason, DeadLetterSummary>()
  const visit = async (deadLetters: AsyncIterable<DeadLetter>): Promise<void> => {
    for await (const deadLetter of deadLetters)
      summaries.set(deadLetter.reason, withDeadLetter(summaries.get(deadLetter.reason), deadLetter))
  }
  await eachDeadLetter(log, visit, options)
  return [...summaries.values()].sort((a, b) => b.count - a.count)
}

function withDeadLetter(
  of: DeadLetterSummary | undefined,
  { reason, appendedAtMs, message, value }: DeadLetter,
): DeadLetterSummary {
  return {
    reason,
    count: (of?.count ?? 0) + samplesIn({ value }),
    firstMs: Math.min(of?.firstMs ?? Infinity, appendedAtMs),
    lastMs: Math.max(of?.lastMs ?? -Infinity, appendedAtMs),
    message,
  }
}
