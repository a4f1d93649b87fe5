import type { BatchScheduler } from '../../processors/partitions/batch-scheduler.ts'
import type { Log } from '../../log/log.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { maxRawFlushIntervalMs } from './flush-intervals.ts'
import { ingested } from './ingested.ts'

/** Limit of the time that a read waits for pending samples. */
const withinMs = 1_000
/** Older samples are in the store if it accepts inserts: twice the longest flush interval. */
const recentMs = 2 * maxRawFlushIntervalMs

interface RecentSamplesParts {
  readonly log: Log
  readonly batchScheduler: Pick<BatchScheduler, 'requestFlush'>
  /** UTC ms. */
  readonly clock: () => number
}

/**
 * Creates the function that reads of raw samples call before a query: it resolves when all samples accepted so far are
 * stored, or after a second. A range that ends, at `toMs`, more than a minute ago does not wait. Never rejects. If
 * several processes share the log, reads do not wait: a freshness request would not reach the other processes, and
 * flush intervals are at most a second.
 */
export function createRecentSamples({
  log,
  batchScheduler,
  clock,
}: RecentSamplesParts): (toMs: number) => Promise<void> {
  if (log.kind !== 'embedded') return async () => undefined
  const requestFlush = () => batchScheduler.requestFlush()
  const caughtUp = coalesce(() => ingested(log, withinMs, { requestFlush }).catch(() => false))
  return async toMs => {
    if (toMs <= clock() - recentMs) return
    await withTimeout(withinMs, caughtUp(), () => undefined)
  }
}
