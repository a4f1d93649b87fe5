import type { RequestListener } from 'node:http'
import { type ApiDeps, createApi, routes } from '../../api/create-api.ts'
import type { Route } from '../../api/http/route.ts'
import { createSetUpLink } from '../../api/auth/set-up-link.ts'
import { createSignIn, signInWindowMs } from '../../api/auth/sign-in.ts'
import { createThrottle } from '../../api/auth/throttle.ts'
import { openUploads } from '../../api/http/upload.ts'
import { createImportLimiter } from '../../api/import/import-limiter.ts'
import { readMappings } from '../../api/import/mappings.ts'
import { LiveMachineSamples, noMachineSamples } from '../../api/live/values/machine-samples.ts'
import { findChannel } from '../../api/live/transport/plain.ts'
import { isSocketIo, withLive } from '../../api/live/transport/server.ts'
import { ingestRoutes } from '../../api/routes/ingest.ts'
import { serviceRoutes } from '../../api/routes/service.ts'
import { readAudit } from '../../clickhouse/projections/audit.ts'
import { readRecentSamples } from '../../clickhouse/samples/recent-samples.ts'
import { createAcceptor, type Acceptor } from '../../ingest/accept/acceptor.ts'
import { followPostedMappings } from '../../ingest/mapping/posted-mappings.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { loadApp } from '../app/load-app.ts'
import { inputLimitsOf } from '../bounds.ts'
import { hourMs } from '../../shared/time/units.ts'
import { WebhookAddresses } from '../../shared/webhook-addresses.ts'
import { ConnectorTrials, type ConnectorTrialsOptions } from '../connector-trials.ts'
import { configureConnectors } from '../connectors.ts'
import { createDeadLetters } from '../dead-letters.ts'
import { createDemo } from '../demo.ts'
import type { Health } from '../../schema/requests/health.ts'
import type { ProcessRole } from '../settings/process-settings.ts'
import type { ServiceContext } from '../context.ts'
import { createHealth, readinessOf } from '../monitoring/health.ts'
import type { ConnectorHealthIndex } from '../monitoring/connector-health.ts'
import { countedAcceptor } from '../monitoring/metrics.ts'
import { isMachineRule } from '../../respond/evaluate/rules-of-machine.ts'
import { waitForLiveHours } from '../monitoring/import-pace.ts'
import type { LagMeter } from '../monitoring/lag.ts'
import type { PortGate } from './port-gate.ts'
import type { ListeningServer } from './listen.ts'
import type { LiveFeed } from '../live/feed.ts'
import { AnnotationCloser } from '../live/annotation-closer.ts'
import { type StartedGraphql, startGraphql } from './graphql.ts'
import { configureOpenId, startAuth } from './auth.ts'
import { startReports } from './reports.ts'
import { startLive, type StartedLive } from './live.ts'
import { apiSettings } from './api-settings.ts'
import { measureProcess, startMonitoring } from './http-monitoring.ts'
import type { Teardown } from '../teardown.ts'

/** The HTTP routes and channels of a process. */
export interface HttpService {
  readonly acceptor: Acceptor
  readonly lag: LagMeter
  readonly connectorHealth: ConnectorHealthIndex
  readonly health: () => Promise<Health>
  /** Starts to accept requests. */
  readonly open: () => void
  /** Token for the first-time setup, valid while there is no user. */
  readonly setUpToken: string
}

/** The open port of this process, and the gate that handles its requests until the service is ready. */
export interface OpenPort {
  readonly listening: ListeningServer
  readonly gate: PortGate
}

/** Starts the routes and channels of this process's roles, and its health check. */
export async function startHttp(
  context: ServiceContext,
  { listening, gate }: OpenPort,
  teardown: Teardown,
): Promise<HttpService> {
  const { config, store, records, followed, clock, metrics, logger, problems } = context
  const { feed, lag, sampleIssues, histories, connectorHealth } = await startMonitoring(context, teardown)
  const acceptor = acceptorOf(context, lag)
  const { files, reports, recentSamples } = startReports(context, teardown)
  startAnnotationCloser(context, { feed, plant: reports.backgroundPlant }, teardown)
  const settings = apiSettings(config)
  const { auth, keyUses } = await startAuth(context, settings, teardown)
  measureProcess(context, lag, teardown)
  const { secretFolder, ...access } = await configureConnectors(config)
  const connectors = { ...access, connectorHealth }
  const trials = new ConnectorTrials({
    records,
    allows: (address, hostname) =>
      connectors.connectorNetworks.allows(address, records.companies().length === 1, hostname),
    secretFolder,
    recentSamples: recentSamplesOf(context, recentSamples),
    clock,
  })
  const hasApi = config.TAKT_ROLES.includes('api')
  const channels = hasApi ? await startLive(context, { feed, metrics, auth, connectors }, teardown) : null
  const graphql = channels ? startGraphql(context, { live: channels.live, feed, metrics, settings }, teardown) : null
  const health = createHealth({
    ...context,
    version: packageJson.version,
    roles: config.TAKT_ROLES,
    lag,
    live: channels?.server ?? null,
  })
  const setUpLink = createSetUpLink(clock)
  const requestFlush = () => context.batchScheduler.requestFlush()
  const deps: ApiDeps = {
    ...reports,
    ...connectors,
    connectorTrials: trials.port,
    webhookAddresses: new WebhookAddresses(config.TAKT_WEBHOOK_ALLOW),
    lagMs: () => lag.lastMs(),
    recentSamples,
    app: hasApi ? await loadApp(error => logger.warn({ err: error }, writeError)) : null,
    setUpLink,
    records,
    catchUpRecords: () => followed.catchUp(),
    requestFlush,
    expectReads: () => context.openReads.expect(),
    commands: commandsOf(context.commands, config.TAKT_CHANGE_TIMEOUT_MS),
    access: auth.access,
    oauth: auth.oauth,
    guesses: auth.guesses,
    keyUses,
    openid: await configureOpenId(config, clock),
    openidStarts: createThrottle({ limit: settings.openidStartsPerAddress, windowMs: signInWindowMs }),
    openidAttempts: createThrottle({ limit: settings.signInsPerAddress, windowMs: signInWindowMs }),
    signIn: createSignIn({ access: auth.access, records, limits: settings }),
    audit: (companyId, query, options) => readAudit(store, companyId, query, options),
    acceptor,
    statuses: {
      get(machineRef) {
        requestFlush()
        return channels?.live.statuses.get(machineRef) ?? null
      },
    },
    machineSamples: channels ? new LiveMachineSamples(channels.live) : noMachineSamples,
    recentValues: graphql?.recentValues ?? (() => []),
    sampleIssues,
    store,
    files,
    imports: createImportLimiter(await readMappings(config.TAKT_IMPORT_MAPPINGS)),
    deadLetters: createDeadLetters(context),
    demo: createDemo(context, histories),
    recomputing: () => lag.recomputing(),
    clock,
    health: () => health().finally(requestFlush),
    readiness: async () => readinessOf(await health(), config.TAKT_READY_LAG_SECONDS, problems.blocking()),
    metrics,
    logger,
    settings,
  }
  openUploads(deps.settings.uploads.folder)
  const api = createApi(deps, routesOf(config.TAKT_ROLES))
  registerStops({ listening, channels, graphql }, teardown)
  teardown.add('trials of connectors', async () => trials.stop())
  context.batchScheduler.follow({
    documents: () => (channels?.live.sessions.open.size ?? 0) > 0 || hasMachineRules(records),
    rawSamples: () => graphql?.awaitsStored() ?? false,
  })
  return {
    acceptor,
    lag,
    connectorHealth,
    health,
    open: () => openGate(gate, api, channels, graphql),
    setUpToken: setUpLink.token,
  }
}

function startAnnotationCloser(
  context: ServiceContext,
  parts: { readonly feed: LiveFeed; readonly plant: ApiDeps['plant'] },
  teardown: Teardown,
): void {
  if (!context.config.TAKT_ROLES.includes('api')) return
  const annotationCloser = new AnnotationCloser({ ...context, ...parts })
  teardown.add('annotation closer', () => annotationCloser.stop())
}

const writeError = 'Failed to store the built web application: each start builds it'

function acceptorOf(context: ServiceContext, lag: LagMeter): Acceptor {
  const { config, log, machines, records, followed, clock, metrics } = context
  const acceptor = createAcceptor({
    log,
    machines,
    catchUpRecords: () => followed.catchUp(),
    mappings: followPostedMappings(records),
    waitForLiveHours: () => waitForLiveHours(lag, () => context.batchScheduler.requestFlush()),
    now: clock,
    bounds: inputLimitsOf(config).ingest,
  })
  const reachable: Acceptor = { accept: request => log.whileReachable(() => acceptor.accept(request)) }
  return countedAcceptor(reachable, metrics)
}

/** Whether incidents may open or end with samples of machines. */
function hasMachineRules(records: Records): boolean {
  return records.companies().some(({ id }) => records.list('alertRule', id).some(isMachineRule))
}

/** Registers the stops in order: no new connections, then the end of existing connections, then the port. */
function registerStops(
  {
    listening,
    channels,
    graphql,
  }: Pick<OpenPort, 'listening'> & {
    readonly channels: StartedLive | null
    readonly graphql: StartedGraphql | null
  },
  teardown: Teardown,
): void {
  teardown.add('http', () => listening.close())
  if (!channels) return
  const stopAccepting = () => {
    channels.server.stopAccepting()
    graphql?.sockets.stopAccepting()
  }
  teardown.addFirst(stopAccepting)
  teardown.add('live connections', async () => {
    stopAccepting()
    await channels.live.sessions.drain(drainWithinMs)
    await Promise.all([channels.server.close(), graphql?.sockets.close()])
  })
}

/** Closing of live connections is spread over this time. */
const drainWithinMs = 2_000

/** Opens the gate of the port for routes, live channels and GraphQL WebSockets. */
function openGate(
  gate: PortGate,
  api: RequestListener,
  channels: StartedLive | null,
  graphql: StartedGraphql | null,
): void {
  if (channels === null) return gate.open(api, null)
  const { server } = channels
  const isGraphql = (url: string) => graphql?.sockets.accepts(url) === true
  gate.open(withLive(server, api), {
    accepts: url => isGraphql(url) || findChannel(url) !== null || isSocketIo(url),
    upgrade(request, socket, head) {
      if (graphql && isGraphql(request.url ?? '')) graphql.sockets.upgrade(request, socket, head)
      else server.upgrade(request, socket, head)
    },
  })
}

/**
 * Returns the routes of a process; without the api role, only health, metrics and, with the ingest role, the acceptance
 * of samples.
 */
function routesOf(roles: readonly ProcessRole[]): readonly Route<ApiDeps>[] {
  if (roles.includes('api')) return routes
  return roles.includes('ingest') ? [...serviceRoutes, ...ingestRoutes] : serviceRoutes
}

function commandsOf(commands: CommandClient, timeoutMs: number): ApiDeps['commands'] {
  return {
    submit: (name, payload, options) => commands.submit(name, payload, { timeoutMs, ...options }),
  }
}

/** Limit of the samples of a machine on which a mapping is tried. */
const maxTriedSamples = 5_000

/** Reads the newest samples of a machine, of the last hour, after those that were posted before are stored. */
function recentSamplesOf(
  { store, records, clock }: ServiceContext,
  stored: (toMs: number) => Promise<void>,
): ConnectorTrialsOptions['recentSamples'] {
  return async (companyId, machineRef) => {
    const nowMs = clock()
    await stored(nowMs)
    const companyRef = records.company(companyId)?.ref
    if (companyRef === undefined) return []
    const range = { companyRef, machineRef, fromMs: nowMs - hourMs, toMs: nowMs + 1 }
    return readRecentSamples(store, range, maxTriedSamples)
  }
}
