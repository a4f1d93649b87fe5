import type { Health, Readiness } from '../../schema/requests/health.ts'
import { hostname } from 'node:os'
import type { OpenProblem, Problems } from '../../shared/problems.ts'
import type { Log } from '../../log/log.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Lag, LagMeter, Lags } from './lag.ts'
import { batchCalls } from '../../shared/async/batch-calls.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'

/** Dependencies of the health check. */
export interface HealthDeps {
  readonly version: string
  readonly roles: Health['roles']
  readonly log: Log
  readonly store: Store
  readonly lag: LagMeter
  readonly problems: Problems
  /**
   * The engine of the live channels, its package, and its own port (null: it uses the port of HTTP); null: this process
   * has no live channels.
   */
  readonly live: { readonly engine: 'uws' | 'ws'; readonly source: string; readonly port: number | null } | null
}

type State = 'ok' | 'unavailable'

/** Time limits of the two checks, which together stay below a second during any outage. */
const pingWithinMs = 400
const measureWithinMs = 400

/**
 * Creates the handler of `GET /health`, which returns whether log and store are available, and the lag of reports.
 * Concurrent calls share one check that starts after them, because the route needs no key.
 */
export function createHealth({ version, roles, log, store, lag, live, problems }: HealthDeps): () => Promise<Health> {
  const check = batchCalls<null, Health>(async () => {
    // An embedded log or store that responds slowly is busy; a server that responds slowly may be unreachable.
    const [logState, storeState] = await Promise.all([
      checkState(log.ping(), log.kind === 'embedded' ? 'ok' : 'unavailable'),
      checkState(store.ping(), store.kind === 'embedded' ? 'ok' : 'unavailable'),
    ])
    const isUp = storeState === 'ok' && problems.blocking().length === 0
    return {
      status: logState === 'unavailable' ? 'unavailable' : isUp ? 'ok' : 'degraded',
      version,
      problems: problems.open().map(problemResponse),
      roles,
      live: live?.engine ?? null,
      liveSource: live?.source ?? null,
      livePort: live?.port ?? null,
      clickhouse: storeState,
      log: logState,
      ...(await measureLags(lag)),
    }
  })
  return () => check(null)
}

const processName = `${hostname()}/${process.pid}`

function problemResponse(problem: OpenProblem): Health['problems'][number] {
  const { code, message, topic, partition, offset, sinceMs } = problem
  return {
    code,
    message,
    since: new Date(sinceMs).toISOString(),
    process: processName,
    ...(topic !== undefined && { topic }),
    ...(partition !== undefined && { partition }),
    ...(offset !== undefined && { offset }),
  }
}

/**
 * Returns whether a process can serve requests: log and store respond, the lag of live hours is at most `maxLagSeconds`
 * (0: no limit), and no blocking problem is open.
 */
export function readinessOf(
  { log, clickhouse, liveLag }: Health,
  maxLagSeconds: number,
  blockingProblems: readonly string[],
): Readiness {
  const isLate = maxLagSeconds > 0 && liveLag.seconds > maxLagSeconds
  const reasons = [
    ...(log === 'ok' ? [] : ['log_unavailable']),
    ...(clickhouse === 'ok' ? [] : ['store_unavailable']),
    ...(isLate ? ['live_lag'] : []),
    ...blockingProblems,
  ]
  return { ready: reasons.length === 0, reasons, liveLag }
}

/**
 * Measures the lags. After a failure or timeout, returns the last lags with at least one record, because an unknown lag
 * must not be shown as 0.
 */
async function measureLags(meter: LagMeter): Promise<Lags> {
  const atLeastOne = ({ records, seconds }: Lag): Lag => ({ records: Math.max(1, records), seconds })
  const unknown = (): Lags => {
    const { lag, liveLag, backlog } = meter.last()
    return { lag: atLeastOne(lag), liveLag: atLeastOne(liveLag), backlog }
  }
  return withTimeout(measureWithinMs, meter.measure().catch(unknown), unknown)
}

function checkState(ping: Promise<void>, whenLate: State): Promise<State> {
  const state = ping.then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  )
  return withTimeout(pingWithinMs, state, () => whenLate)
}
