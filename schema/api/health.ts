import { bool, list, number, object, schema, text } from './json-schema.ts'

/** How the service is. `lag` 0 means that every accepted sample is in the reports. */
export interface Health {
  /** `unavailable`: samples cannot be taken; `degraded`: reports cannot be answered. */
  readonly status: 'ok' | 'degraded' | 'unavailable'
  readonly version: string
  readonly roles: readonly string[]
  /** What serves the live channels; null: no channels in this process. */
  readonly live: 'uws' | 'ws' | null
  /** Where clients may also reach the channels directly; null: at this address alone. */
  readonly livePort: number | null
  readonly clickhouse: string
  readonly log: string
  readonly lag: LagAnswer
  /** The same for hours that are under way or just over: one machine's old samples don't raise it for long. */
  readonly liveLag: LagAnswer
  /** What the processors have yet to make again: machine-hours, and machines' days that reports take from hours meanwhile. */
  readonly backlog: { readonly hours: number; readonly days: number }
}

export interface LagAnswer {
  readonly records: number
  readonly seconds: number
}

/** Whether the service can serve; 503 where it cannot. */
export interface Readiness {
  readonly ready: boolean
  /** Why it is not: `log_unavailable`, `store_unavailable`, `live_lag`. */
  readonly reasons: readonly string[]
  readonly liveLag: LagAnswer
}

const lag = object({ records: number, seconds: number })

export const health = schema<Health>(
  object({
    status: { type: 'string', enum: ['ok', 'degraded', 'unavailable'] },
    version: text,
    roles: list(text),
    live: { enum: ['uws', 'ws', null] },
    livePort: { type: ['integer', 'null'] },
    clickhouse: text,
    log: text,
    lag,
    liveLag: lag,
    backlog: object({ hours: number, days: number }),
  }),
)

export const readiness = schema<Readiness>(object({ ready: bool, reasons: list(text), liveLag: lag }))

export const liveness = schema<{ readonly status: 'ok' }>(object({ status: { type: 'string', enum: ['ok'] } }))
