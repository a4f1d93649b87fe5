import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import { liveRecord } from '../../processors/partitions/live-record.ts'
import { topics, type SimulatedHistory } from '../../schema/topics.ts'
import { minuteMs, secondMs } from '../../shared/time/units.ts'
import type { LiveFeed } from './feed.ts'

/** Interval of messages while the history is generated. */
const publishEveryMs = secondMs
/**
 * If no progress was published for this time, no process generates the history any more, and the existing part is
 * shown.
 */
const staleMs = 2 * minuteMs

/** Publishes the progress of the simulated history to all processes. */
export function createSimulatedHistoryPublisher(
  log: Pick<Log, 'append'>,
  logger: Pick<Logger, 'warn'>,
): (history: SimulatedHistory) => void {
  let publishedMs = -Infinity
  let wasComplete = false
  return history => {
    const isDue = performance.now() - publishedMs >= publishEveryMs || history.isComplete !== wasComplete
    if (!isDue || (history.isComplete && wasComplete)) return
    publishedMs = performance.now()
    wasComplete = history.isComplete
    log
      .append(topics.live, [liveRecord({ kind: 'history', ...history })])
      .catch((error: unknown) => logger.warn({ err: error }, 'Failed to publish the progress of the simulated history'))
  }
}

/** The progress of the simulated history. */
export interface SimulatedHistoryProgress {
  /** Returns the history while it is incomplete; null: it is complete, or there is none. */
  get(): SimulatedHistory | null
  stop(): void
}

/** Follows the progress that all processes publish. `expected`: the history that this process is about to generate. */
export function followSimulatedHistory(feed: LiveFeed, expected: SimulatedHistory | null): SimulatedHistoryProgress {
  let latest = expected
  let receivedMs = performance.now()
  const stop = feed.listen({
    history({ fromMs, sentMs, isComplete }) {
      latest = { fromMs, sentMs, isComplete }
      receivedMs = performance.now()
    },
  })
  return {
    get: () => (latest?.isComplete === true || performance.now() - receivedMs > staleMs ? null : latest),
    stop,
  }
}
