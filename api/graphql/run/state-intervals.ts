import { flag, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { fromStoredHours } from '../../../clickhouse/tables/stored-hours.ts'
import { int64, type Sql, sql, uint64, uint8 } from '../../../clickhouse/sql/sql.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { samples } from '../../../clickhouse/tables/samples.ts'
import { statusCodes } from '../../../clickhouse/tables/values.ts'
import type { Status } from '../../../schema/document.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { slotOf } from '../../../shared/time/units.ts'
import { queryRows, type OperationContext } from './context.ts'
import { mapCooperatively } from './map-cooperatively.ts'
import type { ResultRow } from './lists.ts'
import { orderByTime, inWindow, windowConditions, type Window } from './window.ts'

/** A value during the interval [startMs, endMs), UTC ms. */
interface Interval {
  readonly startMs: number
  readonly endMs: number
  readonly value: string
}

/**
 * Queries the values of a key of a machine as intervals, cut at the limits of the window; the key is derived or sent by
 * the machine.
 */
export async function runStateIntervals(window: Window, operation: OperationContext): Promise<readonly ResultRow[]> {
  const { nowMs } = operation.scope
  const toMs = Math.min(window.toMs, nowMs)
  if (window.fromMs >= toMs) return []
  const intervals =
    (await derivedIntervals({ ...window, toMs }, operation)) ?? (await sentIntervals({ ...window, toMs }, operation))
  return await mapCooperatively(joinEqual(intervals), ({ startMs, endMs, value }) => ({
    startAt: isoText(startMs),
    // An interval that ends now, within the requested range, is ongoing.
    endAt: endMs === toMs && toMs === nowMs && window.toMs > nowMs ? null : isoText(endMs),
    value,
  }))
}

/** The value of a derived key: its SQL in a segment, and its text by status and cycle. */
interface DerivedKey {
  readonly value: Sql
  readonly text: (status: Status, inCycle: boolean) => string
}

const derivedKeys: Readonly<Record<string, DerivedKey>> = {
  status: { value: sql`segment_status`, text: status => status },
  inCycle: { value: sql`segment_in_cycle`, text: (_status, inCycle) => String(inCycle) },
  MasterExecution: {
    value: sql`if(segment_in_cycle, 1, if(segment_status = ${uint8(statusCodes.code('UNAVAILABLE'))}, 2, 3))`,
    text: (status, inCycle) => {
      if (inCycle) return 'ACTIVE'
      return status === 'UNAVAILABLE' ? status : 'STOPPED'
    },
  },
}

/** Whether a key is derived from documents; machines send all other keys. */
export function isDerivedKey(key: string | null): boolean {
  return Object.hasOwn(derivedKeys, key ?? '')
}

const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

/**
 * Queries the intervals of a derived key; returns null if the key is not derived. The store merges adjacent segments of
 * equal values.
 */
async function derivedIntervals(window: Window, operation: OperationContext): Promise<readonly Interval[] | null> {
  const key = derivedKeys[window.key ?? '']
  if (!key) return null
  const { machine, fromMs, toMs } = window
  const keys = { fromMs: slotOf(fromMs), toMs, machines: [machine] }
  const unfold = [sql`segment_start, segment_end, segment_status, segment_in_cycle`]
  const found = await queryRows(
    operation,
    sql`
      SELECT start_ms, end_ms, begins, ends, status, in_cycle FROM (
        SELECT *, value != lagInFrame(value) OVER near OR start_ms != lagInFrame(end_ms) OVER near AS begins,
          value != leadInFrame(value) OVER near OR end_ms != leadInFrame(start_ms) OVER near AS ends
        FROM (
          SELECT ${slotMs} + segment_start AS start_ms, ${slotMs} + segment_end AS end_ms, ${key.value} AS value,
            segment_status AS status, segment_in_cycle AS in_cycle
          ${fromStoredHours(operation.scope.companyRef, keys, { unfold })})
        WINDOW near AS (ORDER BY start_ms ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING))
      WHERE begins OR ends ORDER BY start_ms LIMIT ${uint64(2 * (operation.budget.rowsLeft + 1))}`,
    { start_ms: wide, end_ms: wide, begins: flag, ends: flag, status: statusCodes.kind, in_cycle: flag },
  )
  const intervals: Interval[] = []
  let beganMs = 0
  for (const { start_ms, end_ms, begins, ends, status, in_cycle } of found) {
    if (begins) beganMs = start_ms
    const [startMs, endMs] = [Math.max(fromMs, beganMs), Math.min(toMs, end_ms)]
    if (ends && startMs < endMs) intervals.push({ startMs, endMs, value: key.text(status, in_cycle) })
  }
  return intervals
}

/** Queries the intervals of a key that the machine sends, starting with the value at the start of the window. */
async function sentIntervals(window: Window, operation: OperationContext): Promise<readonly Interval[]> {
  const { scope, budget } = operation
  const columns = sql`at_us, instance_id, sequence, value`
  const earlier = [...windowConditions(window), sql`at_us < ${int64(window.fromMs * 1000)}`]
  const before = sql`
    SELECT ${columns} ${from(samples, scope.companyRef, { where: earlier })}
    ORDER BY at_us DESC, instance_id DESC NULLS LAST, sequence DESC NULLS LAST, value DESC LIMIT 1`
  const within = sql`
    SELECT ${columns} ${from(samples, scope.companyRef, { final: true, where: [...windowConditions(window), inWindow(window)] })}`
  const found = await queryRows(
    operation,
    sql`
      SELECT intDiv(at_us, 1000) AS at_ms, value FROM (SELECT * FROM (${before}) UNION ALL ${within})
      ${orderByTime} LIMIT ${uint64(budget.rowsLeft + 1)}`,
    { at_ms: wide, value: storedText },
  )
  return found.flatMap(({ at_ms, value }, i) => {
    const startMs = Math.max(window.fromMs, at_ms)
    const endMs = Math.max(window.fromMs, found[i + 1]?.at_ms ?? window.toMs)
    // A value that another replaces in the same millisecond has no interval.
    return startMs < endMs ? [{ startMs, endMs, value }] : []
  })
}

/** Joins adjacent intervals of the same value. */
function joinEqual(intervals: readonly Interval[]): readonly Interval[] {
  const result: Interval[] = []
  for (const interval of intervals) {
    const last = result.at(-1)
    if (last?.endMs === interval.startMs && last.value === interval.value)
      result[result.length - 1] = { ...last, endMs: interval.endMs }
    else result.push(interval)
  }
  return result
}
