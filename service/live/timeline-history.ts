import type { TimelineHistory } from '../../api/live/timeline/ports.ts'
import { readSegments } from '../../clickhouse/documents/read-segments.ts'
import { readParts, readTimelineSamples } from '../../clickhouse/samples/timeline.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Pace } from '../../processors/partitions/pace.ts'
import type { Log } from '../../log/log.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import type { LiveFeed } from './feed.ts'
import { ingested } from './ingested.ts'

/** Nobody waits longer for samples that are on their way into the store. Under load an insert takes some seconds, and may just have begun. */
const caughtUpWithinMs = 15_000

/** The timeline's past, out of the store. */
export function createTimelineHistory(
  { store, log, pace }: { readonly store: Store; readonly log: Log; readonly pace: Pick<Pace, 'asked'> },
  feed: LiveFeed,
): TimelineHistory {
  const ask = () => pace.asked()
  const caughtUp = async () => {
    // A store that is away takes no samples: the question that follows tells so.
    await store.ping()
    const [isStored, isTold] = await Promise.all([
      ingested(log, caughtUpWithinMs, { ask }),
      feed.caughtUp(caughtUpWithinMs),
    ])
    return isStored && isTold
  }
  return {
    samples: (range, metrics, limit) => readTimelineSamples(store, range, metrics, limit),
    // A log that is away holds nothing up: the store may be there.
    caughtUp: coalesce(() => {
      ask()
      return caughtUp().catch(() => false)
    }),
    async documented({ nowMs, ...asked }) {
      const range = { ...asked, fromMs: Math.max(0, asked.fromMs), toMs: Math.min(asked.toMs, nowMs) }
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
