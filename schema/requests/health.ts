import * as t from '../types.ts'

const lag = t.named('Lag', t.object({ records: t.number, seconds: t.number }))

const problem = t.named(
  'HealthProblem',
  t.object(
    {
      code: t.described(t.text, 'For programs; the guide on operations lists the codes'),
      message: t.described(t.text, 'What is wrong, where, and what to do'),
      since: t.instant,
      process: t.described(t.text, 'The process that has the problem: host/process id'),
      topic: t.text,
      partition: t.int,
      offset: t.described(t.int, 'First offset that the problem concerns'),
    },
    ['topic', 'partition', 'offset'],
  ),
)

/**
 * State of the service. `status` unavailable: samples are rejected; degraded: reports are unavailable or incomplete
 * because of a problem. `live`: engine of the live channels, null if this process serves none; `liveSource`: package
 * and version of the engine; `livePort`: additional port of the live channels, null if they have only this address.
 * `lag` 0: reports contain every accepted sample. `liveLag`: the same, only for hours that are in progress or just
 * ended, so that late samples of one machine raise it only briefly. `backlog`: machine-hours to recompute, and days of
 * machines whose day documents must be rebuilt. `problems`: conditions that require the operator's attention, oldest
 * first.
 */
export const health = t.named(
  'Health',
  t.object({
    status: t.named('HealthStatus', t.oneOf(['ok', 'degraded', 'unavailable'])),
    version: t.text,
    problems: t.list(problem),
    roles: t.list(t.text),
    live: t.nullable(t.named('LiveServer', t.oneOf(['uws', 'ws']))),
    liveSource: t.nullable(t.text),
    livePort: t.nullable(t.int),
    clickhouse: t.text,
    log: t.text,
    lag,
    liveLag: lag,
    backlog: t.named('Backlog', t.object({ hours: t.number, days: t.number })),
  }),
)
export type Health = t.Infer<typeof health>

/**
 * Whether the process can serve requests; 503 if not. `reasons`: `log_unavailable`, `store_unavailable`, `live_lag`,
 * and codes of problems that have lasted too long.
 */
export const readiness = t.named('Readiness', t.object({ ready: t.bool, reasons: t.list(t.text), liveLag: lag }))
export type Readiness = t.Infer<typeof readiness>

export const liveness = t.named('Liveness', t.object({ status: t.literal('ok') }))
