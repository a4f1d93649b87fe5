import { Gauge, type Registry } from 'prom-client'
import { Live, type LiveSettings } from '../../api/live/sessions/live.ts'
import { LiveSession } from '../../api/live/sessions/live-session.ts'
import type { ConnectorsPort } from '../../api/ports/ports.ts'
import { createTokenCheck, type TokenCheckDeps } from '../../api/live/sessions/token-check.ts'
import type { LiveServer } from '../../api/live/transport/server.ts'
import { openLiveServer } from '../../api/live/transport/open.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import type { LiveFeed } from '../live/feed.ts'
import { watchOutages } from '../live/outages.ts'
import { createRestorer, restoreStatuses } from '../live/restore.ts'
import { createTimelineHistory } from '../live/timeline-history.ts'
import type { Teardown } from '../teardown.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

/** The live channels of this process and their server. */
export interface StartedLive {
  readonly live: Live
  readonly server: LiveServer
}

/** Opens the live channels, and restores the state that was published before this process followed the live topic. */
export async function startLive(
  context: ServiceContext,
  {
    feed,
    metrics,
    auth,
    connectors,
  }: {
    readonly feed: LiveFeed
    readonly metrics: Registry
    readonly auth: TokenCheckDeps
    readonly connectors: Pick<ConnectorsPort, 'connectorHealth' | 'connectorSecrets'>
  },
  teardown: Teardown,
): Promise<StartedLive> {
  const { config, records, clock, logger, batchScheduler } = context
  const checkToken = createTokenCheck(auth)
  const live = new Live({
    records,
    ...connectors,
    checkToken,
    history: createTimelineHistory(context, feed),
    clock,
    logger,
    settings: liveSettingsOf(config),
    requestFlush: () => batchScheduler.requestFlush(),
  })
  const forget = feed.listen(
    {
      values: ({ samples }) => live.publishValues(samples),
      status: ({ statuses }) => live.publishStatuses(statuses),
    },
    machineRef => live.needsEveryValue(machineRef),
  )
  const stopping = new AbortController()
  teardown.add('live', () => {
    stopping.abort()
    forget()
    live.stop()
  })
  countConnections(live, metrics)
  measureValues(live, metrics)
  await restoreStatuses(context, live)
  const restore = createRestorer(context, live, stopping.signal)
  // Retries after failures.
  crashOnRejection(restore())
  watchDependencies(context, live, restore, stopping.signal)
  const server = await openLiveServer(live, {
    engine: config.TAKT_LIVE_ENGINE,
    host: config.TAKT_HOST,
    port: config.TAKT_LIVE_PORT,
    corsOrigins: config.TAKT_CORS_ORIGINS.includes('*') ? '*' : config.TAKT_CORS_ORIGINS,
    trustedProxies: config.TAKT_TRUSTED_PROXIES,
    onUnusable: cause => logger.warn({ cause }, 'Failed to load uWebSockets'),
  })
  return { live, server }
}

function countConnections(live: Live, metrics: Registry): Gauge {
  return new Gauge({
    name: 'takt_live_connections',
    help: 'Clients of the live channels; a client of several channels counts in each.',
    registers: [metrics],
    collect() {
      this.set(live.sessions.of(LiveSession).length)
    },
  })
}

function measureValues({ valueQuota }: Live, metrics: Registry): readonly Gauge[] {
  const bytes = new Gauge({
    name: 'takt_live_values_bytes',
    help: 'Approximate memory of the latest values of all machines.',
    registers: [metrics],
    collect() {
      this.set(valueQuota.bytes)
    },
  })
  const rejected = new Gauge({
    name: 'takt_live_values_turned_down',
    help: 'Metrics that are not shown live, or values that were truncated, since the start because the memory limit was reached. A machine shows up to 6,000 metrics live.',
    labelNames: ['what'],
    registers: [metrics],
    collect() {
      this.set({ what: 'metric' }, valueQuota.rejected.metrics)
      this.set({ what: 'value' }, valueQuota.rejected.values)
    },
  })
  return [bytes, rejected]
}

/** Reports outages of log and store to the clients, and restores the live state after them. */
function watchDependencies(
  { log, store }: ServiceContext,
  live: Live,
  restore: () => Promise<void>,
  signal: AbortSignal,
): void {
  for (const [code, name, dependency] of [
    ['log_unavailable', 'log', log],
    ['store_unavailable', 'store', store],
  ] as const)
    crashOnRejection(
      watchOutages(
        {
          ping: () => dependency.ping(),
          onUnavailable: () => live.reportProblem(code, `The ${name} is unavailable: updates are delayed`),
          onAvailable: () => {
            live.endProblem(code)
            // Retries after failures.
            crashOnRejection(restore())
          },
        },
        signal,
      ),
    )
}

/** Returns the limits of the live channels from the settings. */
export function liveSettingsOf(config: Config): LiveSettings {
  return {
    buffer: { bytes: config.TAKT_LIVE_BUFFER_BYTES, blockedMs: config.TAKT_LIVE_BLOCKED_SECONDS * 1000 },
    commandsPerSecond: config.TAKT_LIVE_COMMANDS_PER_SECOND,
    timeline: { days: config.TAKT_TIMELINE_MAX_DAYS, samples: config.TAKT_TIMELINE_MAX_SAMPLES },
    admission: {
      connections: config.TAKT_LIVE_CONNECTIONS,
      guestsOfAddress: config.TAKT_LIVE_UNJOINED_PER_ADDRESS,
      joinWithinMs: config.TAKT_LIVE_JOIN_SECONDS * 1000,
    },
    waitingBytes: config.TAKT_LIVE_WAITING_BYTES,
    valuesBytes: config.TAKT_LIVE_VALUES_BYTES,
    timelines: config.TAKT_LIVE_TIMELINES,
  }
}
