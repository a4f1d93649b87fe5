import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { type ApiDeps, createApi, routes } from '../../api/create-api.ts'
import type { Route } from '../../api/http/route.ts'
import { type Access, accessByRecords } from '../../api/auth/access.ts'
import { createKeyUses } from '../../api/auth/key-uses.ts'
import { createOAuthCheck, type OAuthCheck } from '../../api/auth/oauth.ts'
import { createThrottle, guessWindowMs } from '../../api/auth/throttle.ts'
import { sharedAccess } from '../../api/auth/shared-access.ts'
import { readTokenSecret, withTokenSecret } from '../../api/auth/token-secret.ts'
import { createSetUpLink } from '../../api/auth/set-up-link.ts'
import { createSignIn } from '../../api/auth/sign-in.ts'
import type { ReportRunner } from '../../api/routes/reports.ts'
import { type ApiSettings, defaultApiSettings } from '../../api/ports/settings.ts'
import { openFiles } from '../../api/files/files.ts'
import { openUploads } from '../../api/http/upload.ts'
import { createImportGate } from '../../api/import/gate.ts'
import { readMappings } from '../../api/import/mappings.ts'
import { createReports } from '../../api/reports/reports.ts'
import { withLive } from '../../api/live/transport/server.ts'
import type { QueryLimits } from '../../api/reports/ask/asking.ts'
import { ingestRoutes } from '../../api/routes/ingest.ts'
import { serviceRoutes } from '../../api/routes/service.ts'
import { readAudit } from '../../clickhouse/projections/audit.ts'
import { readCredentials } from '../../clickhouse/projections/credentials.ts'
import { readKeyUses, writeKeyUses } from '../../clickhouse/projections/key-uses.ts'
import { createAcceptor, type Acceptor } from '../../ingest/accept/acceptor.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Pace } from '../../processors/partitions/pace.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { unavailable } from '../../schema/errors.ts'
import { loadApp } from '../app/load-app.ts'
import { boundsOf } from '../bounds.ts'
import type { Config, ProcessRole } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import { createHealth, readinessOf } from '../monitoring/health.ts'
import { createFaultBoard } from '../monitoring/machine-faults.ts'
import { countedAcceptor, measurePipeline, reportMeter } from '../monitoring/metrics.ts'
import { watchEventLoop } from '../monitoring/event-loop.ts'
import { createLagMeter, type LagMeter } from '../monitoring/lag.ts'
import type { Gate } from './gate.ts'
import type { Listening } from './listen.ts'
import { followLive } from '../live/feed.ts'
import { type StartedGraphql, startGraphql } from './graphql.ts'
import { startLive, stopLive, type StartedLive } from './live.ts'
import type { Teardown } from '../teardown.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { minuteMs } from '../../shared/time/units.ts'

/** The HTTP side of a process. */
export interface Http {
  readonly acceptor: Acceptor
  /** Lets requests in. */
  readonly open: () => void
  /** Opens the first set-up, while nobody can sign in. */
  readonly setUpToken: string
}

/** The port that this process listens on already, and what stands before it until the service is ready. */
export interface Port {
  readonly listening: Listening
  readonly gate: Gate
}

const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** No report takes longer, even where the store has fallen silent. */
const reportWithinMs = 60_000

/** Makes what the process's roles have to offer, and its health. */
export async function startHttp(context: ServiceContext, { listening, gate }: Port, teardown: Teardown): Promise<Http> {
  const { config, log, store, records, followed, machines, commands, clock, logger } = context
  const catchUpRecords = () => followed.catchUp()
  const bounds = boundsOf(config).ingest
  const compact = log.kind === 'embedded'
  const plain = createAcceptor({ log, machines, catchUpRecords, compact, now: clock, bounds })
  const acceptor = countedAcceptor(plain, context.metrics)
  const feed = await followLive(log, logger, context.valuesHere)
  teardown.add('live feed', () => feed.stop())
  const lag = createLagMeter(log, feed, records, clock)
  teardown.add('lag', () => lag.stop())
  const faults = createFaultBoard(feed, clock)
  teardown.add('faults', () => faults.stop())
  const files = openFiles({
    ...context,
    folder: join(config.TAKT_DATA_DIR, 'exports'),
    lifetimeMs: config.TAKT_CSV_LIFETIME_HOURS * hourMs,
    mostBytes: config.TAKT_EXPORTS_MAX_BYTES,
    isShared: () => records.companies().length > 1,
  })
  teardown.add('files', () => files.stop())
  const reports = createReports({
    ...context,
    lagMs: () => lag.lastMs(),
    files,
    limits: queryLimits(config),
    concurrency: config.TAKT_REPORT_CONCURRENCY,
  })
  teardown.add('reports', () => reports.stop())
  const settings = apiSettings(config)
  const secretFile = config.TAKT_TOKEN_SECRET_FILE
  const recordAccess = accessOf(context)
  const access = secretFile === null ? recordAccess : withTokenSecret(recordAccess, await readTokenSecret(secretFile))
  const keyUses = createKeyUses({
    write: usedAtMs => writeKeyUses(store, usedAtMs),
    read: keyIds => readKeyUses(store, keyIds),
    clock,
    onFailure: error => logger.warn({ err: error }, 'the use of keys was not written'),
  })
  teardown.add('key uses', () => keyUses.stop())
  const { metrics } = context
  const eventLoop = watchEventLoop({ thresholdMs: config.TAKT_EVENT_LOOP_HOLD_MS, metrics, logger })
  teardown.add('event loop', () => eventLoop.stop())
  teardown.add('metrics', measurePipeline(metrics, { log, lag }))
  const measured = reportMeter(metrics)
  const oauth = oauthOf(config)
  const guesses = createThrottle({ limit: settings.guessesPerAddress, windowMs: guessWindowMs })
  const auth = { access, oauth, guesses, records, sessionRules: settings.sessionRules, clock }
  const channels = config.TAKT_ROLES.includes('api')
    ? await startLive(context, { feed, metrics, auth }, teardown)
    : null
  const graphql = channels
    ? startGraphql(context, { live: channels.live, feed, metrics, auth, settings }, teardown)
    : null
  const health = createHealth({
    ...context,
    version: packageJson.version,
    roles: config.TAKT_ROLES,
    lag,
    live: channels?.server ?? null,
  })
  const setUpLink = createSetUpLink(clock)
  const deps: ApiDeps = {
    app: config.TAKT_ROLES.includes('api')
      ? await loadApp(error =>
          logger.warn({ err: error }, 'the built web application was not kept: each start builds it'),
        )
      : null,
    setUpLink,
    records,
    catchUpRecords: () => followed.catchUp(),
    commands: commandsOf(commands, config.TAKT_CHANGE_TIMEOUT_MS),
    access,
    oauth,
    guesses,
    keyUses,
    signIn: createSignIn(access, () => records.companies(), settings),
    audit: (companyId, query, options) => readAudit(store, companyId, query, options),
    acceptor,
    statuses: channels?.live.statuses ?? { get: () => null },
    recentValues: graphql?.recentValues ?? (() => []),
    faults,
    production: runnerOf((...asked) => measured('production', () => reports.production(...asked)), lag),
    downtime: runnerOf((...asked) => measured('downtime', () => reports.downtime(...asked)), lag),
    quality: runnerOf((...asked) => measured('quality', () => reports.quality(...asked)), lag),
    alarm: runnerOf((...asked) => measured('alarm', () => reports.alarm(...asked)), lag),
    alarmInstances: runnerOf((...asked) => measured('alarmInstances', () => reports.alarmInstances(...asked)), lag),
    jobRunParts: ({ signal, ...run }) => inTime(signal, within => reports.jobRunParts(run, { signal: within })),
    store,
    files,
    imports: createImportGate(await readMappings(config.TAKT_IMPORT_MAPPINGS)),
    recomputing: () => lag.recomputing(),
    clock,
    health,
    readiness: async () => readinessOf(await health(), config.TAKT_READY_LAG_SECONDS),
    metrics,
    logger,
    settings,
  }
  openUploads(deps.settings.uploads.folder)
  const api = createApi(deps, routesOf(config.TAKT_ROLES))
  teardown.add('http', () => listening.close())
  if (channels) teardown.addFirst(() => channels.server.stopAccepting())
  if (graphql) teardown.addFirst(() => graphql.sockets.stopAccepting())
  if (channels) teardown.add('live connections', () => stopLive(channels))
  if (graphql) teardown.add('graphql connections', () => graphql.sockets.close())
  context.pace.watchedWhile(() => (channels?.live.connections ?? 0) + (graphql?.sockets.connections ?? 0) > 0)
  const paced = hearAsking(api, context.pace)
  return { acceptor, open: () => openGate(gate, paced, channels, graphql), setUpToken: setUpLink.token }
}

/** Paths of those who bring something or look at the process alone: what is made of the samples is nothing to them. */
const askNothing = /^\/(ingest|metrics|health\/)/

/** Tells the processor of requests whose answers may show what is made of the samples. */
function hearAsking(api: RequestListener, pace: Pace): RequestListener {
  return (request, response) => {
    if (!askNothing.test(request.url ?? '')) pace.asked()
    api(request, response)
  }
}

/** Opens one port for everything, and passes requests of the live channels, and WebSockets of GraphQL, on to them. */
function openGate(
  gate: Gate,
  api: RequestListener,
  channels: StartedLive | null,
  graphql: StartedGraphql | null,
): void {
  if (channels === null) return gate.open(api, null)
  const { server } = channels
  gate.open(withLive(server, api), (request, socket, head) => {
    if (graphql?.sockets.takes(request.url) === true) graphql.sockets.upgrade(request, socket, head)
    else server.upgrade(request, socket, head)
  })
}

/** A process without the api role can still be asked how it is, and takes samples where it ingests. */
function routesOf(roles: readonly ProcessRole[]): readonly Route<ApiDeps>[] {
  if (roles.includes('api')) return routes
  return roles.includes('ingest') ? [...serviceRoutes, ...ingestRoutes] : serviceRoutes
}

/** A single process knows all keys and users by its records; several processes must ask the store, which they share. */
function accessOf({ log, store, records, followed }: ServiceContext): Access {
  if (log.kind === 'embedded' || store.kind === 'embedded') return accessByRecords(records)
  return sharedAccess({
    read: lookups => readCredentials(store, lookups),
    records,
    catchUp: () => followed.catchUp(),
  })
}

function commandsOf(commands: CommandClient, timeoutMs: number): ApiDeps['commands'] {
  return {
    submit: (name, payload, options) => commands.submit(name, payload, { timeoutMs, ...options }),
  }
}

function oauthOf(config: Config): OAuthCheck | null {
  const { TAKT_OAUTH_JWKS_URL: jwksUrl } = config
  if (jwksUrl === null) return null
  return createOAuthCheck({
    jwksUrl,
    issuer: config.TAKT_OAUTH_ISSUER,
    audience: config.TAKT_OAUTH_AUDIENCE,
    companyClaim: config.TAKT_OAUTH_COMPANY_CLAIM,
    scopesClaim: config.TAKT_OAUTH_SCOPES_CLAIM,
  })
}

type Report<Body> = (
  companyId: string,
  body: unknown,
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly body: Body }>

function runnerOf<Body>(report: Report<Body>, lag: LagMeter): ReportRunner<Body> {
  return async ({ companyId, body, signal }) => {
    const answer = await inTime(signal, within => report(companyId, body, { signal: within }))
    return { body: answer.body, lagMs: lag.lastMs() }
  }
}

/** Rejects with 503 where it takes too long. */
async function inTime<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), reportWithinMs)
  try {
    return await withSignals([signal, late.signal], ask)
  } catch (error) {
    if (late.signal.aborted) throw unavailable('The report took too long', 5, error)
    throw error
  } finally {
    clearTimeout(timer)
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
  const bounds = boundsOf(config)
  return {
    ...defaultApiSettings,
    corsOrigins: config.TAKT_CORS_ORIGINS.includes('*') ? '*' : config.TAKT_CORS_ORIGINS,
    requestsPerMinute: config.TAKT_RATE_LIMIT,
    json: bounds.json,
    ingest: bounds.ingest,
    bodiesBytes: config.TAKT_BODIES_LIMIT,
    publicBodyBytes: config.TAKT_PUBLIC_BODY_LIMIT,
    queryParameters: config.TAKT_QUERY_MAX_PARAMETERS,
    headers: config.TAKT_MAX_HEADERS,
    sessionRules: { lifetimeMs: config.TAKT_SESSION_DAYS * dayMs, idleMs: config.TAKT_SESSION_IDLE_MINUTES * minuteMs },
    trustedProxies: config.TAKT_TRUSTED_PROXIES,
    graphql: {
      requestsPerMinute: config.TAKT_GRAPHQL_RATE_LIMIT,
      withinMs: config.TAKT_GRAPHQL_MAX_SECONDS * 1000,
      depth: config.TAKT_GRAPHQL_MAX_DEPTH,
      lists: config.TAKT_GRAPHQL_MAX_LISTS,
      fields: config.TAKT_GRAPHQL_MAX_FIELDS,
      rows: config.TAKT_GRAPHQL_MAX_ROWS,
      answerChars: config.TAKT_GRAPHQL_MAX_CHARS,
      answersBytes: config.TAKT_GRAPHQL_ANSWERS_BYTES,
      concurrency: config.TAKT_REPORT_CONCURRENCY,
      memoryBytes: config.TAKT_QUERY_MAX_MEMORY,
    },
    uploads: { folder: join(config.TAKT_DATA_DIR, 'tmp'), limitBytes: config.TAKT_IMPORT_LIMIT },
  }
}
