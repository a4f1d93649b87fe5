import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { createApi, routes } from '../api/create-api.ts'
import type { Route } from '../api/http/route.ts'
import type { ApiDeps, ApiSettings, ReportRunner } from '../api/ports.ts'
import { openFiles } from '../api/files/files.ts'
import { createReports } from '../api/reports/reports.ts'
import { withLive } from '../api/live/transport/server.ts'
import type { QueryLimits } from '../api/reports/ask.ts'
import { ingestRoutes } from '../api/routes/ingest.ts'
import { serviceRoutes } from '../api/routes/service.ts'
import { createAcceptor, type Acceptor } from '../ingest/accept/acceptor.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { CommandClient } from '../processors/registrar/client.ts'
import { unavailable } from '../schema/errors.ts'
import type { Config, Role } from './config.ts'
import type { Foundation } from './foundation.ts'
import { createHealth } from './health.ts'
import { createLagMeter, type LagMeter } from './lag.ts'
import { listen, type Listening } from './listen.ts'
import { followLive } from './live-feed.ts'
import { startLive, stopLive, type StartedLive } from './start-live.ts'
import type { Teardown } from './teardown.ts'

/** The HTTP side of a process. */
export interface Http {
  readonly url: string
  readonly acceptor: Acceptor
}

const hourMs = 3_600_000
/** No report takes longer, even where the store has fallen silent. */
const reportWithinMs = 60_000

/** Serves what the process's roles have to offer, and its health. */
export async function startHttp(foundation: Foundation, teardown: Teardown): Promise<Http> {
  const { config, log, records, followed, machines, commands, clock, logger } = foundation
  const acceptor = createAcceptor({ log, machines, catchUpRecords: () => followed.catchUp(), now: clock })
  const feed = await followLive(log, logger)
  teardown.add('live feed', () => feed.stop())
  const lag = createLagMeter(log, feed, records, clock)
  teardown.add('lag', () => lag.stop())
  const files = openFiles({
    ...foundation,
    folder: join(config.TAKT_DATA_DIR, 'exports'),
    lifetimeMs: config.TAKT_CSV_LIFETIME_HOURS * hourMs,
  })
  teardown.add('files', () => files.stop())
  const reports = createReports({
    ...foundation,
    lagMs: () => lag.lastMs(),
    files,
    limits: queryLimits(config),
    concurrency: config.TAKT_REPORT_CONCURRENCY,
  })
  teardown.add('reports', () => reports.stop())
  const metrics = new Registry()
  const channels = config.TAKT_ROLES.includes('api') ? await startLive(foundation, { feed, metrics }, teardown) : null
  const deps: ApiDeps = {
    records,
    commands: commandsOf(commands),
    acceptor,
    statuses: channels?.live.statuses ?? { get: () => null },
    production: runnerOf((...asked) => reports.production(...asked), lag),
    downtime: runnerOf((...asked) => reports.downtime(...asked), lag),
    quality: runnerOf((...asked) => reports.quality(...asked), lag),
    alarm: runnerOf((...asked) => reports.alarm(...asked), lag),
    alarmInstances: runnerOf((...asked) => reports.alarmInstances(...asked), lag),
    files,
    health: createHealth({
      ...foundation,
      version: packageJson.version,
      roles: config.TAKT_ROLES,
      lag,
      live: channels?.server ?? null,
    }),
    metrics,
    logger,
    settings: apiSettings(config),
  }
  const server = await open(createApi(deps, routesOf(config.TAKT_ROLES)), config, channels)
  teardown.add('http', () => server.close())
  if (channels) teardown.add('live connections', () => stopLive(channels))
  return { url: server.url, acceptor }
}

/** One port for everything: what is the channels' goes to them. */
function open(api: RequestListener, config: Config, channels: StartedLive | null): Promise<Listening> {
  const { TAKT_PORT: port, TAKT_HOST: host } = config
  if (channels === null) return listen(api, port, host)
  const { server } = channels
  return listen(withLive(server, api), port, host, (...upgrade) => server.upgrade(...upgrade))
}

/** A process without the api role can still be asked how it is, and takes samples where it ingests. */
function routesOf(roles: readonly Role[]): readonly Route[] {
  if (roles.includes('api')) return routes
  return roles.includes('ingest') ? [...serviceRoutes, ...ingestRoutes] : serviceRoutes
}

function commandsOf(commands: CommandClient): ApiDeps['commands'] {
  return {
    submit: async ({ name, payload, companyId, actor }) => ({
      ok: true,
      result: await commands.submit(name, payload, { companyId, actor }),
    }),
  }
}

type Report<Body> = (
  companyId: string,
  body: unknown,
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly body: Body }>

function runnerOf<Body>(report: Report<Body>, lag: LagMeter): ReportRunner<Body> {
  return async ({ companyId, body, signal }) => {
    const late = AbortSignal.timeout(reportWithinMs)
    try {
      const answer = await report(companyId, body, { signal: AbortSignal.any([signal, late]) })
      return { body: answer.body, lagMs: lag.lastMs() }
    } catch (error) {
      if (late.aborted) throw unavailable('The report took too long', 5, error)
      throw error
    }
  }
}

function queryLimits(config: Config): QueryLimits {
  return {
    max_execution_time: config.TAKT_QUERY_MAX_SECONDS,
    max_memory_usage: config.TAKT_QUERY_MAX_MEMORY,
    max_rows_to_read: config.TAKT_QUERY_MAX_ROWS_READ,
    max_result_rows: config.TAKT_QUERY_MAX_ROWS,
  }
}

function apiSettings(config: Config): ApiSettings {
  return {
    corsOrigins: config.TAKT_CORS_ORIGINS.includes('*') ? '*' : config.TAKT_CORS_ORIGINS,
    requestsPerMinute: config.TAKT_RATE_LIMIT,
    jsonLimitBytes: Math.min(config.TAKT_BODY_LIMIT, 4_194_304),
    ingestLimitBytes: config.TAKT_BODY_LIMIT,
  }
}
