import { expectedHistory } from '../demo.ts'
import { followLive } from '../live/feed.ts'
import { followSimulatedHistory } from '../live/simulated-history.ts'
import { followConnectorHealth } from '../monitoring/connector-health.ts'
import { watchEventLoop } from '../monitoring/event-loop.ts'
import { createLagMeter, type LagMeter } from '../monitoring/lag.ts'
import { measurePipeline } from '../monitoring/metrics.ts'
import { followSampleIssues } from '../monitoring/sample-issues.ts'
import type { ServiceContext } from '../context.ts'
import type { Teardown } from '../teardown.ts'

/** Follows the live topic, and derives the lag of reports and the sample issues from it. */
export async function startMonitoring(context: ServiceContext, teardown: Teardown) {
  const { config, log, records, clock, logger, problems, localValues, forwarded } = context
  const feed = await followLive(log, logger, { local: localValues, clock, problems })
  teardown.add('live feed', () => feed.stop())
  const lag = createLagMeter(log, feed, records, clock, forwarded)
  teardown.add('lag', () => lag.stop())
  const sampleIssues = followSampleIssues(feed, clock)
  teardown.add('sample issue index', () => sampleIssues.stop())
  const histories = followSimulatedHistory(feed, await expectedHistory(config, clock()))
  teardown.add('simulated history', () => histories.stop())
  const connectorHealth = followConnectorHealth(feed, clock)
  teardown.add('connector health', () => connectorHealth.stop())
  return { feed, lag, sampleIssues, histories, connectorHealth }
}

/** Counts delays of the event loop, the records of the log and the lag in the metrics of the process. */
export function measureProcess(
  { config, log, metrics, logger }: ServiceContext,
  lag: LagMeter,
  teardown: Teardown,
): void {
  const eventLoop = watchEventLoop({ thresholdMs: config.TAKT_EVENT_LOOP_HOLD_MS, metrics, logger })
  teardown.add('event loop', () => eventLoop.stop())
  teardown.add('metrics', measurePipeline(metrics, { log, lag }))
}
