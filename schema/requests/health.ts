import {
  bool,
  described,
  instant,
  int,
  list,
  literal,
  named,
  nullable,
  number,
  object,
  type Of,
  oneOf,
  text,
} from '../types.ts'

const lag = named('Lag', object({ records: number, seconds: number }))

const problem = named(
  'HealthProblem',
  object(
    {
      code: described(text, 'For programs; the guide on operations lists the codes'),
      message: described(text, 'What is wrong, where, and what to do'),
      since: instant,
      process: described(text, 'The process that has the problem: host/process id'),
      topic: text,
      partition: int,
      offset: described(int, 'First offset that the problem concerns'),
    },
    ['topic', 'partition', 'offset'],
  ),
)

/**
 * State of the service. `status` unavailable: samples are not accepted; degraded: reports are not available, or lack data because of a
 * problem. `live`: engine of the live channels, null: no channels in this process; `liveSource`: its package and version; `livePort`: where clients may also reach the channels
 * directly, null: at this address only. `lag` 0 means that every accepted sample is in the reports; `liveLag` is the same for hours that
 * are in progress or just over: one machine's old samples don't raise it for long. `backlog`: work of the processors: machine-hours to
 * recompute, and machines' days that reports read from hours meanwhile. `problems`: conditions that an operator must know of, the oldest
 * first.
 */
export const health = named(
  'Health',
  object({
    status: named('HealthStatus', oneOf(['ok', 'degraded', 'unavailable'])),
    version: text,
    problems: list(problem),
    roles: list(text),
    live: nullable(named('LiveServer', oneOf(['uws', 'ws']))),
    liveSource: nullable(text),
    livePort: nullable(int),
    clickhouse: text,
    log: text,
    lag,
    liveLag: lag,
    backlog: named('Backlog', object({ hours: number, days: number })),
  }),
)
export type Health = Of<typeof health>

/**
 * Whether the process can serve; 503 if it cannot. `reasons`: `log_unavailable`, `store_unavailable`, `live_lag`, and codes of problems that
 * have lasted too long.
 */
export const readiness = named('Readiness', object({ ready: bool, reasons: list(text), liveLag: lag }))
export type Readiness = Of<typeof readiness>

export const liveness = named('Liveness', object({ status: literal('ok') }))
