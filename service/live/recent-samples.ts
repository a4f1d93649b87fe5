import type { BatchScheduler } from '../../processors/partitions/batch-scheduler.ts'
import type { Log } from '../../log/log.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { maxRawFlushIntervalMs } from './flush-intervals.ts'
import { waitUntilStored } from './wait-until-stored.ts'

/** Maximum time for which a read waits for pending samples. */
const maxWaitMs = 1_000
/** Samples older than this are stored, unless the store rejects inserts: twice the maximum flush interval. */
const recentMs = 2 * maxRawFlushIntervalMs

interface RecentSamplesParts {
  readonly log: Log
  readonly batchScheduler: Pick<BatchScheduler, 'requestFlush'>
  /** UTC ms. */
  readonly clock: () => number
}

/**
 * Creates a function that reads of raw samples call before a query. It resolves when all samples that were accepted
 * before the call are stored, or after a second. For a time range that ended more than a minute ago, at `toMs`, it
 * resolves immediately. Never rejects. If several processes share the log, it does not wait, because a freshness
 * request would not reach the other processes, whose flush intervals are at most a second.
 */
export function createRecentSamples({
  log,
  batchScheduler,
  clock,
}: RecentSamplesParts): (toMs: number) => Promise<void> {
  if (log.kind !== 'embedded') return async () => undefined
  const requestFlush = () => batchScheduler.requestFlush()
  const caughtUp = coalesce(() => waitUntilStored(log, maxWaitMs, { requestFlush }).catch(() => false))
  return async toMs => {
    if (toMs <= clock() - recentMs) return
    await withTimeout(maxWaitMs, caughtUp(), () => undefined)
  }
}
