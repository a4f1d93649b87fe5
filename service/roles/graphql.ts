import { Gauge, type Registry } from 'prom-client'
import type { RecentValuesSource } from '../../api/graphql/run/context.ts'
import type { SocketServer } from '../../api/graphql/sockets/socket-server.ts'
import type { LiveQueries } from '../../api/graphql/subscriptions/live-queries.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import type { ApiSettings } from '../../api/ports/settings.ts'
import type { ServiceContext } from '../context.ts'
import { createEvaluation } from '../graphql/evaluation.ts'
import { publishSourceChanges } from '../graphql/follow-sources.ts'
import { bufferLimitsOf, createSockets } from '../graphql/sockets.ts'
import { SourceChanges } from '../graphql/source-changes.ts'
import { replacementValues } from '../graphql/replacement-values.ts'
import type { LiveFeed } from '../live/feed.ts'
import { waitUntilStored } from '../live/wait-until-stored.ts'
import { RecentValues } from '../live/recent-values.ts'
import { maxRawFlushIntervalMs } from '../live/flush-intervals.ts'
import type { Teardown } from '../teardown.ts'

/** The GraphQL server over WebSockets. */
export interface StartedGraphql {
  readonly sockets: SocketServer
  readonly recentValues: RecentValuesSource
  /** Whether a subscription waits for samples to be stored. */
  readonly awaitsStored: () => boolean
}

/** Parts of the service that GraphQL needs. */
export interface GraphqlParts {
  readonly live: Live
  readonly feed: LiveFeed
  readonly metrics: Registry
  readonly settings: ApiSettings
}

/**
 * Maximum time in which a value is stored if the store is available: twice the maximum flush interval of raw samples.
 */
const storedWithinMs = 2 * maxRawFlushIntervalMs

/** Starts the evaluation of subscriptions and the server of GraphQL connections. */
export function startGraphql(context: ServiceContext, parts: GraphqlParts, teardown: Teardown): StartedGraphql {
  const { config, records } = context
  const changes = new SourceChanges(records)
  const recent = createRecentValues(context, changes, () => evaluation.queries.distinct > 0)
  const recentValues = replacementValues(parts.live, recent, records)
  const limits = {
    ...parts.settings.graphql,
    rows: config.TAKT_GRAPHQL_SUBSCRIPTION_ROWS,
    responseBytes: bufferLimitsOf(config).bytes,
  }
  const evaluation = createEvaluation(context, { ...parts, limits, changes, recentValues })
  const { queries, derived } = evaluation
  const sockets = createSockets(context, { ...parts, limits }, evaluation)
  const endFollowing = publishSourceChanges(context, { ...parts, recent, queries, derived, changes })
  teardown.add('graphql', () => {
    endFollowing()
    recent.stop()
    evaluation.stop()
  })
  measure(sockets, queries, parts.metrics)
  const awaitsStored = () =>
    queries.isReadByAny('samples') ||
    queries.isReadByAny('stored-values') ||
    (queries.isReadByAny('values') && recent.isIncomplete)
  return { sockets, recentValues, awaitsStored }
}

function createRecentValues(
  { records, log, logger }: ServiceContext,
  changes: SourceChanges,
  isWatched: () => boolean,
): RecentValues {
  return new RecentValues({
    waitUntilStored: () => waitUntilStored(log, storedWithinMs),
    companyOf: machineRef => records.company(changes.findCompany(machineRef) ?? '')?.ref ?? null,
    onStored: machines => changes.publishMachines('stored-values', machines),
    onMissedStored: machines => {
      for (const source of ['values', 'stored-values'] as const)
        if (machines) changes.publishMachines(source, machines)
        else changes.publishAll(source)
    },
    isWatched,
    logger,
  })
}

function measure(sockets: SocketServer, queries: LiveQueries, registry: Registry): readonly Gauge[] {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
  return [
    gauge('takt_graphql_connections', 'GraphQL connections over WebSockets.', () => sockets.sessions().length),
    gauge('takt_graphql_operations', 'Operations in progress over WebSockets.', () =>
      sockets.sessions().reduce((sum, { operations }) => sum + operations, 0),
    ),
    gauge('takt_graphql_subscriptions', 'Subscriptions; equal ones of a company count once.', () => queries.distinct),
    gauge('takt_graphql_evaluations', 'Evaluations of subscriptions since the start.', () => queries.evaluations),
  ]
}
