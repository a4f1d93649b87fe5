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
  type Infer,
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
 * State of the service. `status` unavailable: samples are rejected; degraded: reports are unavailable or incomplete
 * because of a problem. `live`: engine of the live channels, null if this process serves none; `liveSource`: package
 * and version of the engine; `livePort`: additional port of the live channels, null if they have only this address.
 * `lag` 0: reports contain every accepted sample. `liveLag`: the same, only for hours that are in progress or just
 * ended, so that late samples of one machine raise it only briefly. `backlog`: machine-hours to recompute, and days of
 * machines whose day documents must be rebuilt. `problems`: conditions that require the operator's attention, oldest
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
export type Health = Infer<typeof health>

/**
 * Whether the process can serve requests; 503 if not. `reasons`: `log_unavailable`, `store_unavailable`, `live_lag`,
 * and codes of problems that have lasted too long.
 */
export const readiness = named('Readiness', object({ ready: bool, reasons: list(text), liveLag: lag }))
export type Readiness = Infer<typeof readiness>

export const liveness = named('Liveness', object({ status: literal('ok') }))
