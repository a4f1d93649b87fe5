import { createSocketServer, type SocketServer } from '../../api/graphql/sockets/socket-server.ts'
import { Preparations } from '../../api/graphql/subscriptions/preparations.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import { TokenBucket } from '../../api/live/limits/token-bucket.ts'
import type { GraphqlLimits } from '../../api/ports/graphql-limits.ts'
import type { ApiSettings } from '../../api/ports/settings.ts'
import { Shares } from '../../shared/shares.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import type { Evaluation } from './evaluation.ts'

/** Parts of the service that GraphQL connections need. */
export interface SocketParts {
  readonly live: Live
  readonly settings: ApiSettings
  readonly limits: GraphqlLimits
}

/** Burst limit, as a factor of the limit of commands per second: a screen starts many operations when it opens. */
const commandsFactor = 5

/**
 * Burst limit, as a factor of the limit of started operations: after a restart, all screens of a plant start their
 * subscriptions again.
 */
const startsFactor = 20

/** Creates the handler of GraphQL connections. */
export function createSockets(
  { config, records, logger }: ServiceContext,
  { live, settings, limits }: SocketParts,
  { queries, operations, queue }: Evaluation,
): SocketServer {
  const isShared = () => records.companies().length > 1
  const memory = new Shares({ limit: config.TAKT_GRAPHQL_OPERATIONS_BYTES, isShared })
  const { requestsPerMinute } = settings.graphql
  return createSocketServer({
    sessions: live.sessions,
    queries,
    operations,
    preparations: new Preparations(operations, limits, memory),
    queue,
    slots: new Shares({ limit: config.TAKT_GRAPHQL_SUBSCRIPTIONS, isShared }),
    memory,
    countRequest: requestLimiter(requestsPerMinute),
    countStart: requestLimiter(startsFactor * requestsPerMinute),
    bounds: { ...settings.json, bytes: config.TAKT_GRAPHQL_MESSAGE_LIMIT },
    operationsOfConnection: config.TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION,
    commandsPerSecond: config.TAKT_LIVE_COMMANDS_PER_SECOND * commandsFactor,
    buffer: bufferLimitsOf(config),
    resultBytes: bufferLimitsOf(config).bytes,
    trustedProxies: settings.trustedProxies,
    logger,
  })
}

/** Limits of the data that waits for one connection, in bytes: two results of maximum size. */
export function bufferLimitsOf(config: Config) {
  return { bytes: 2 * config.TAKT_GRAPHQL_SUBSCRIPTION_BYTES, blockedMs: config.TAKT_LIVE_BLOCKED_SECONDS * 1000 }
}

/** Returns the rate limiter of queries, by company and minute; 0: no limit. */
function requestLimiter(perMinute: number): (companyId: string) => boolean {
  const buckets = new Map<string, TokenBucket>()
  return companyId => {
    if (perMinute === 0) return true
    const nowMs = performance.now()
    const bucket = buckets.get(companyId) ?? new TokenBucket(perMinute / 60, perMinute, nowMs)
    buckets.set(companyId, bucket)
    return bucket.consume(nowMs)
  }
}
