import { bool, int, list, literal, named, nullable, number, object, type Of, oneOf, text } from '../types.ts'

const lag = named('Lag', object({ records: number, seconds: number }))

/**
 * How the service is. `status` unavailable: samples cannot be taken; degraded: reports cannot be answered. `live`: what serves the live
 * channels, null: no channels in this process; `livePort`: where clients may also reach the channels directly, null: at this address
 * alone. `lag` 0 means that every accepted sample is in the reports; `liveLag` is the same for hours that are under way or just over:
 * one machine's old samples don't raise it for long. `backlog`: what the processors have yet to make again, machine-hours, and
 * machines' days that reports take from hours meanwhile.
 */
export const health = named(
  'Health',
  object({
    status: named('HealthStatus', oneOf(['ok', 'degraded', 'unavailable'])),
    version: text,
    roles: list(text),
    live: nullable(named('LiveServer', oneOf(['uws', 'ws']))),
    livePort: nullable(int),
    clickhouse: text,
    log: text,
    lag,
    liveLag: lag,
    backlog: named('Backlog', object({ hours: number, days: number })),
  }),
)
export type Health = Of<typeof health>

/** Whether the service can serve; 503 where it cannot. `reasons`: `log_unavailable`, `store_unavailable`, `live_lag`. */
export const readiness = named('Readiness', object({ ready: bool, reasons: list(text), liveLag: lag }))
export type Readiness = Of<typeof readiness>

export const liveness = named('Liveness', object({ status: literal('ok') }))
