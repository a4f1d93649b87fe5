import type { Health } from '../schema/api/health.ts'
import type { Log } from '../schema/log.ts'
import type { Store } from '../clickhouse/store.ts'
import type { Role } from './config.ts'
import type { LagMeter } from './lag.ts'

export interface HealthDeps {
  readonly version: string
  readonly roles: readonly Role[]
  readonly log: Log
  readonly store: Store
  readonly lag: LagMeter
}

/** What `GET /health` answers: whether log and store are there, and how far the reports are behind. */
export function createHealth({ version, roles, log, store, lag }: HealthDeps): () => Promise<Health> {
  return async () => {
    const [logState, storeState] = await Promise.all([state(log.ping()), state(store.ping())])
    const measured = logState === 'ok' ? await lag.measure() : { records: 0, seconds: lag.lastMs() / 1000 }
    const isUp = logState === 'ok' && storeState === 'ok'
    return {
      status: isUp ? 'ok' : logState === 'ok' ? 'degraded' : 'unavailable',
      version,
      roles,
      live: null,
      clickhouse: storeState,
      log: logState,
      lag: measured,
    }
  }
}

async function state(ping: Promise<void>): Promise<'ok' | 'unavailable'> {
  try {
    await ping
    return 'ok'
  } catch {
    return 'unavailable'
  }
}
