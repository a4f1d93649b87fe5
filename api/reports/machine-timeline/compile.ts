import { int64, type Sql, sql, uint64 } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { type DocumentScope, overHours, slotMs } from '../compile/select.ts'

/** Steps of equal length, aligned to 1970. */
interface Step {
  readonly stepMs: number
}

/** How many segments the hours of the range have. */
export function compileCount(scope: DocumentScope, range: TimeRange): Sql {
  return sql`SELECT toUInt64(sum(n)) AS segments FROM (${overHours(
    scope,
    range,
    {},
    rows => sql`
    SELECT length(segment_start) AS n ${rows}`,
  )})`
}

const dimensions = sql`status, down, reason, shift, run, mode, operators`

const unfold = [
  sql`segment_start, segment_end, segment_status, segment_down, segment_reason, segment_shift, segment_run, segment_mode, segment_operators`,
]

/** The segments of the range, cut to it: [machine, startMs, endMs, …dimensions]. */
function segments(scope: DocumentScope, range: TimeRange): Sql {
  const cut = overHours(
    scope,
    range,
    { unfold },
    rows => sql`
    SELECT machine, greatest(${slotMs} + segment_start, ${int64(range.startMs)}) AS startMs, least(${slotMs} + segment_end, ${int64(range.endMs)}) AS endMs,
      segment_status AS status, segment_down AS down, segment_reason AS reason, segment_shift AS shift, segment_run AS run,
      segment_mode AS mode, segment_operators AS operators
    ${rows}`,
  )
  return sql`SELECT * FROM (${cut}) WHERE startMs < endMs`
}

/** Every segment, by time: [startMs, endMs, ms, …dimensions]. */
export function compileSegments(scope: DocumentScope, range: TimeRange): Sql {
  return sql`SELECT startMs, endMs, endMs - startMs AS ms, ${dimensions} FROM (${segments(scope, range)}) ORDER BY startMs`
}

/** The time of each step by dimensions, by step: [startMs, endMs, ms, …dimensions], where `startMs` and `endMs` are those of the step. */
export function compileSteps(scope: DocumentScope, range: TimeRange, { stepMs }: Step): Sql {
  const step = int64(stepMs)
  return sql`
SELECT step * ${step} AS startMs, startMs + ${step} AS endMs, sum(part) AS ms, ${dimensions}
FROM (
  SELECT step, least(endMs, (step + 1) * ${step}) - greatest(startMs, step * ${step}) AS part, ${dimensions}
  FROM (${segments(scope, range)})
  ARRAY JOIN range(intDiv(startMs, ${step}), intDiv(endMs - 1, ${step}) + 1) AS step)
GROUP BY step, ${dimensions}
ORDER BY step`
}

/**
 * The status that each machine has for most of a step, and whether most of this time is in a shift: [machine, step, status, scheduled].
 * Step 0 begins with the range.
 */
export function compileStates(scope: DocumentScope, range: TimeRange, { stepMs }: Step): Sql {
  const [start, length] = [int64(range.startMs), int64(stepMs)]
  return sql`
SELECT machine, step, argMax(state, (ms, state)) AS status, argMax(is_scheduled, (ms, state)) AS scheduled
FROM (
  SELECT machine, step, status AS state, sum(part) AS ms, toUInt8(2 * sumIf(part, shift != 0) > ms) AS is_scheduled
  FROM (
    SELECT machine, toInt64(number) AS step, status, shift,
      least(endMs, ${start} + (step + 1) * ${length}) - greatest(startMs, ${start} + step * ${length}) AS part
    FROM (${segments(scope, range)})
    ARRAY JOIN range(intDiv(startMs - ${start}, ${length}), intDiv(endMs - 1 - ${start}, ${length}) + 1) AS number)
  GROUP BY machine, step, state)
GROUP BY machine, step`
}

const alarmUnfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]

/** Alarm instances that are active in the range: [code, message, level, startMs, endMs], at most `max` of them, by start. */
export function compileAlarms(scope: DocumentScope, range: TimeRange, max: number): Sql {
  return sql`${alarms(scope, range)} ORDER BY startMs, code LIMIT ${uint64(max)}`
}

/** Number of alarm instances that are active in each step, by level: [startMs, level, instances]. */
export function compileAlarmSteps(scope: DocumentScope, range: TimeRange, { stepMs }: Step): Sql {
  const step = int64(stepMs)
  const first = sql`intDiv(greatest(startMs, ${int64(range.startMs)}), ${step})`
  const last = sql`intDiv(least(endMs, ${int64(range.endMs)}) - 1, ${step})`
  return sql`
SELECT step * ${step} AS atMs, level, toUInt64(count()) AS instances
FROM (SELECT step, level FROM (${alarms(scope, range)}) ARRAY JOIN range(${first}, ${last} + 1) AS step)
GROUP BY step, level
ORDER BY step, level`
}

/** The document of the last hour has the end of an instance that continues. */
function alarms(scope: DocumentScope, range: TimeRange): Sql {
  const elements = overHours(
    scope,
    range,
    { unfold: alarmUnfold },
    rows => sql`
    SELECT slot, alarm_key AS key, alarm_code AS code, alarm_message AS text, alarm_level AS level, alarm_start_ms AS began, alarm_end_ms AS ended
    ${rows}`,
  )
  return sql`
SELECT code, argMax(text, slot) AS message, level, began AS startMs, argMax(ended, slot) AS endMs
FROM (${elements})
GROUP BY key, code, level, began
HAVING endMs > ${int64(range.startMs)} AND startMs < ${int64(range.endMs)}`
}
