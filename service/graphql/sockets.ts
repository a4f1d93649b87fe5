import { createSocketServer, type SocketServer } from '../../api/graphql/sockets/socket-server.ts'
import { Preparations } from '../../api/graphql/subscriptions/preparations.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import { createTokenCheck, type TokenCheckDeps } from '../../api/live/sessions/token-check.ts'
import { TokenBucket } from '../../api/live/token-bucket.ts'
import type { GraphqlLimits } from '../../api/ports/graphql-limits.ts'
import type { ApiSettings } from '../../api/ports/settings.ts'
import { Shares } from '../../shared/shares.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import type { Evaluation } from './evaluation.ts'

export interface SocketParts {
  readonly live: Live
  readonly auth: TokenCheckDeps
  readonly settings: ApiSettings
  readonly limits: GraphqlLimits
}

/** Factor for bursts: a screen starts many operations when it opens. */
const commandsFactor = 5

/** Factor for bursts: after a restart, all screens of a plant restart many subscriptions. */
const startsFactor = 20

/** Creates the handler of GraphQL connections. */
export function createSockets(
  { config, records, clock, logger }: ServiceContext,
  { live, auth, settings, limits }: SocketParts,
  { queries, operations, queue }: Evaluation,
): SocketServer {
  const isShared = () => records.companies().length > 1
  const bytes = new Shares({ room: config.TAKT_GRAPHQL_OPERATIONS_BYTES, isShared })
  const { requestsPerMinute } = settings.graphql
  return createSocketServer({
    live,
    records,
    checkToken: createTokenCheck(auth),
    clock,
    queries,
    operations,
    preparations: new Preparations(operations, limits, bytes),
    queue,
    places: new Shares({ room: config.TAKT_GRAPHQL_SUBSCRIPTIONS, isShared }),
    bytes,
    takeRequest: requestsOf(requestsPerMinute),
    takeStart: requestsOf(startsFactor * requestsPerMinute),
    bounds: { ...settings.json, bytes: config.TAKT_GRAPHQL_MESSAGE_LIMIT },
    operationsOfConnection: config.TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION,
    commandsPerSecond: config.TAKT_LIVE_COMMANDS_PER_SECOND * commandsFactor,
    buffer: bufferOf(config),
    answerBytes: bufferOf(config).bytes,
    waitingBytes: config.TAKT_LIVE_WAITING_BYTES,
    trustedProxies: settings.trustedProxies,
    logger,
  })
}

/** Limits of the data that waits for one connection: two results of maximum size. */
export function bufferOf(config: Config) {
  return { bytes: 2 * config.TAKT_GRAPHQL_SUBSCRIPTION_BYTES, blockedMs: config.TAKT_LIVE_BLOCKED_SECONDS * 1000 }
}

/** Limits the queries of each company per minute; 0: no limit. */
function requestsOf(perMinute: number): (companyId: string) => boolean {
  const buckets = new Map<string, TokenBucket>()
  return companyId => {
    if (perMinute === 0) return true
    const nowMs = performance.now()
    const bucket = buckets.get(companyId) ?? new TokenBucket(perMinute / 60, perMinute, nowMs)
    buckets.set(companyId, bucket)
    return bucket.take(nowMs)
  }
}
