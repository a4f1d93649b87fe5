import type { TimelineHistory } from '../../api/live/timeline/ports.ts'
import { readSegments } from '../../clickhouse/documents/read-segments.ts'
import { readParts, readTimelineSamples } from '../../clickhouse/samples/timeline.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { BatchScheduler } from '../../processors/partitions/batch-scheduler.ts'
import type { Log } from '../../log/log.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import type { LiveFeed } from './feed.ts'
import { waitUntilStored } from './wait-until-stored.ts'

/** Maximum wait for pending samples, ms: under load an insert takes some seconds, and one may have just started. */
const caughtUpWithinMs = 15_000

/** Reads the history of timelines from the store. */
export function createTimelineHistory(
  {
    store,
    log,
    batchScheduler,
  }: {
    readonly store: Store
    readonly log: Log
    readonly batchScheduler: Pick<BatchScheduler, 'requestFlush'>
  },
  feed: LiveFeed,
): TimelineHistory {
  const requestFlush = () => batchScheduler.requestFlush()
  const caughtUp = async () => {
    // While the store is unavailable, pending samples cannot be stored; the query that follows reports the outage.
    await store.ping()
    const [isStored, isPublished] = await Promise.all([
      waitUntilStored(log, caughtUpWithinMs, { requestFlush }),
      feed.caughtUp(caughtUpWithinMs),
    ])
    return isStored && isPublished
  }
  return {
    samples: (range, metrics, limit) => readTimelineSamples(store, range, metrics, limit),
    // An unavailable log does not delay the read: the store may be available.
    caughtUp: coalesce(() => {
      requestFlush()
      return caughtUp().catch(() => false)
    }),
    async documented({ nowMs, ...request }) {
      const range = { ...request, fromMs: Math.max(0, request.fromMs), toMs: Math.min(request.toMs, nowMs) }
      if (range.fromMs >= range.toMs) return { spans: [], parts: [] }
      const { companyRef, machineRef, fromMs, toMs } = range
      const [hours, parts] = await Promise.all([
        readSegments(store, companyRef, [machineRef], fromMs, toMs),
        readParts(store, range),
      ])
      const spans = hours.flatMap(({ slotMs, segments }) =>
        segments.map(({ start, end, status, inCycle }) => ({
          startMs: Math.max(fromMs, slotMs + start),
          endMs: Math.min(toMs, slotMs + end),
          status,
          inCycle,
        })),
      )
      return { spans: spans.filter(({ startMs, endMs }) => startMs < endMs), parts }
    },
  }
}
