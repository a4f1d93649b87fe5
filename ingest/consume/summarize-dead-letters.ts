import type { Log } from '../../log/log.ts'
import { topics, type DeadLetter, type DeadLetterReason } from '../../schema/topics.ts'

export interface DeadLetterSummary {
  readonly reason: DeadLetterReason
  readonly count: number
  /** When the first and the last of them were sent, UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
  /** Message of the last of them. */
  readonly message: string
}

/** Counts the dead letters that are there now, by reason, most first. */
export async function summarizeDeadLetters(log: Pick<Log, 'follow'>): Promise<readonly DeadLetterSummary[]> {
  const summaries = new Map<DeadLetterReason, DeadLetterSummary>()
  const follower = await log.follow({
    topic: topics.deadLetters,
    from: 'earliest',
    onBatch: batch => {
      for (const { value } of batch.records) {
        const deadLetter: DeadLetter = JSON.parse(value.toString())
        summaries.set(deadLetter.reason, withDeadLetter(summaries.get(deadLetter.reason), deadLetter))
      }
    },
  })
  try {
    await follower.caughtUp
  } finally {
    await follower.stop()
  }
  return [...summaries.values()].sort((a, b) => b.count - a.count)
}

function withDeadLetter(
  of: DeadLetterSummary | undefined,
  { reason, appendedAtMs, message }: DeadLetter,
): DeadLetterSummary {
  return {
    reason,
    count: (of?.count ?? 0) + 1,
    firstMs: Math.min(of?.firstMs ?? Infinity, appendedAtMs),
    lastMs: Math.max(of?.lastMs ?? -Infinity, appendedAtMs),
    message,
  }
}
