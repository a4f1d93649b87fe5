import { float, int, text, wide } from '../../../clickhouse/client/kinds.ts'
import { readSegments } from '../../../clickhouse/documents/read-segments.ts'
import { int64, second, type Sql, sql, str, uint32, uint64 } from '../../../clickhouse/sql/sql.ts'
import { columnBound } from '../../../clickhouse/sql/time-bounds.ts'
import { hours } from '../../../clickhouse/tables/documents.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { samples } from '../../../clickhouse/tables/samples.ts'
import { levelCodes } from '../../../clickhouse/tables/values.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { dayMs, slotOf } from '../../../shared/time/units.ts'
import { entriesOf } from '../compile/entries.ts'
import { problem } from '../compile/problem.ts'
import type { FunctionName } from '../model/functions.ts'
import { askRows, type Operation } from './context.ts'
import { mapInTurns } from './in-turns.ts'
import type { Row } from './lists.ts'
import type { Selected } from './selection.ts'

/** A machine, a key of it and a range of time, [fromMs, toMs). */
interface Window {
  readonly machine: MachineRef
  /** null: all keys. */
  readonly key: string | null
  readonly fromMs: number
  readonly toMs: number
}

/** Longest range, so that no query reads a machine's whole life. */
const mostDays = 366

const runners: Readonly<Record<FunctionName, (window: Window, operation: Operation) => Promise<readonly Row[]>>> = {
  samples: runSamples,
  quantities: runQuantities,
  stateIntervals: runStateIntervals,
  alarmIntervals: runAlarmIntervals,
}

/** The rows of a function, by the names of the answer. */
export async function runFunction(
  name: FunctionName,
  args: Readonly<Record<string, unknown>>,
  fields: readonly Selected[],
  operation: Operation,
): Promise<readonly Row[]> {
  const window = windowOf(args['args'])
  const found = window.fromMs < window.toMs ? await runners[name](window, operation) : []
  operation.budget.take(found.length)
  operation.budget.takeValues(found.length * fields.length)
  operation.budget.takeChars(found.length * fields.reduce((sum, { key }) => sum + key.length, 0))
  await operation.budget.takeTexts(fields.map(({ name }) => found.map(row => row[name])))
  return await mapInTurns(found, row =>
    Object.fromEntries(fields.map(field => [field.key, field.typeName ?? row[field.name] ?? null])),
  )
}

function windowOf(args: unknown): Window {
  const given = new Map(entriesOf(args))
  const [machine, key] = [Number(given.get('machineRef')), given.get('metricKey')]
  const [fromMs, toMs] = [Number(given.get('windowStartAt')), Number(given.get('windowEndAt'))]
  if (toMs - fromMs > mostDays * dayMs)
    throw problem('validation-failed', `windowStartAt and windowEndAt are more than ${mostDays} days apart`)
  if (machine < 0) throw problem('validation-failed', 'machineRef must not be negative')
  return {
    machine: asMachineRef(machine),
    key: typeof key === 'string' ? key : null,
    fromMs: columnBound(fromMs),
    toMs: columnBound(toMs),
  }
}

/** Conditions of the samples of a window's machine and key. */
function samplesOf({ machine, key }: Window): readonly Sql[] {
  return [sql`machine = ${uint32(machine)}`, sql`key = ${str(key ?? '')}`]
}

function inWindow({ fromMs, toMs }: Window): Sql {
  return sql`at_us >= ${int64(fromMs * 1000)} AND at_us < ${int64(toMs * 1000)}`
}

const inTime = sql`ORDER BY at_us, instance_id NULLS FIRST, sequence NULLS FIRST, value`

async function runSamples(window: Window, operation: Operation): Promise<readonly Row[]> {
  const { scope, budget } = operation
  const where = [...samplesOf(window), inWindow(window)]
  const found = await askRows(
    operation,
    sql`
      SELECT intDiv(at_us, 1000) AS at_ms, value, toString(type) AS type, toString(subtype) AS subtype,
        toString(category) AS category, toString(native_code) AS nativeCode, toString(native_severity) AS nativeSeverity,
        toString(qualifier) AS qualifier, message
      ${from(samples, scope.companyRef, { final: true, where })} ${inTime} LIMIT ${uint64(budget.left + 1)}`,
    {
      at_ms: wide,
      value: text,
      type: text,
      subtype: text,
      category: text,
      nativeCode: text,
      nativeSeverity: text,
      qualifier: text,
      message: text,
    },
  )
  return found.map(({ at_ms, value, type, subtype, category, nativeCode, nativeSeverity, qualifier, message }) => ({
    at: isoText(at_ms),
    value,
    type,
    subtype,
    category: orNull(category),
    nativeCode: orNull(nativeCode),
    nativeSeverity: orNull(nativeSeverity),
    qualifier: orNull(qualifier),
    message: orNull(message),
  }))
}

/** The store keeps what was not sent as ''. */
function orNull(sent: string): string | null {
  return sent === '' ? null : sent
}

async function runQuantities(window: Window, operation: Operation): Promise<readonly Row[]> {
  const { scope, budget } = operation
  const isNumber = sql`isFinite(ifNull(toFloat64OrNull(value), nan))`
  const where = [...samplesOf(window), inWindow(window), isNumber]
  const found = await askRows(
    operation,
    sql`
      SELECT intDiv(at_us, 1000) AS at_ms, assumeNotNull(toFloat64OrNull(value)) AS quantity
      ${from(samples, scope.companyRef, { final: true, where })} ${inTime} LIMIT ${uint64(budget.left + 1)}`,
    { at_ms: wide, quantity: float },
  )
  return await mapInTurns(found, ({ at_ms, quantity }) => ({ at: isoText(at_ms), value: quantity }))
}

/** A value that holds in [startMs, endMs). */
interface Interval {
  readonly startMs: number
  readonly endMs: number
  readonly value: string
}

async function runStateIntervals(window: Window, operation: Operation): Promise<readonly Row[]> {
  const { nowMs } = operation.scope
  const toMs = Math.min(window.toMs, nowMs)
  if (window.fromMs >= toMs) return []
  const intervals =
    (await madeIntervals({ ...window, toMs }, operation)) ?? (await sentIntervals({ ...window, toMs }, operation))
  return await mapInTurns(joined(intervals), ({ startMs, endMs, value }) => ({
    startAt: isoText(startMs),
    // An interval that reaches to now goes on.
    endAt: endMs === toMs && toMs === nowMs && window.toMs > nowMs ? null : isoText(endMs),
    value,
  }))
}

type Segment = Awaited<ReturnType<typeof readSegments>>[number]['segments'][number]

const madeValues: Readonly<Record<string, (segment: Segment) => string>> = {
  status: ({ status }) => status,
  inCycle: ({ inCycle }) => String(inCycle),
  MasterExecution: ({ status, inCycle }) => {
    if (inCycle) return 'ACTIVE'
    return status === 'UNAVAILABLE' ? status : 'STOPPED'
  },
}

/** Intervals of a key that is made of documents; null: machines send it. */
async function madeIntervals(
  { machine, key, fromMs, toMs }: Window,
  { scope, store }: Operation,
): Promise<readonly Interval[] | null> {
  const valueOf = madeValues[key ?? '']
  if (!valueOf) return null
  const hours = await readSegments(store, scope.companyRef, [machine], fromMs, toMs)
  const intervals = hours.flatMap(({ slotMs, segments }) =>
    segments.map(segment => ({
      startMs: Math.max(fromMs, slotMs + segment.start),
      endMs: Math.min(toMs, slotMs + segment.end),
      value: valueOf(segment),
    })),
  )
  return intervals.filter(({ startMs, endMs }) => startMs < endMs).toSorted((a, b) => a.startMs - b.startMs)
}

/** Intervals of a key as it was sent, from the value that held when the window began. */
async function sentIntervals(window: Window, operation: Operation): Promise<readonly Interval[]> {
  const { scope, budget } = operation
  const columns = sql`at_us, instance_id, sequence, value`
  const earlier = [...samplesOf(window), sql`at_us < ${int64(window.fromMs * 1000)}`]
  const before = sql`
    SELECT ${columns} ${from(samples, scope.companyRef, { where: earlier })}
    ORDER BY at_us DESC, instance_id DESC NULLS LAST, sequence DESC NULLS LAST, value DESC LIMIT 1`
  const within = sql`
    SELECT ${columns} ${from(samples, scope.companyRef, { final: true, where: [...samplesOf(window), inWindow(window)] })}`
  const found = await askRows(
    operation,
    sql`
      SELECT intDiv(at_us, 1000) AS at_ms, value FROM (SELECT * FROM (${before}) UNION ALL ${within})
      ${inTime} LIMIT ${uint64(budget.left + 1)}`,
    { at_ms: wide, value: text },
  )
  return found.flatMap(({ at_ms, value }, i) => {
    const startMs = Math.max(window.fromMs, at_ms)
    const endMs = Math.max(window.fromMs, found[i + 1]?.at_ms ?? window.toMs)
    // A value that lasted less than a millisecond has no interval.
    return startMs < endMs ? [{ startMs, endMs, value }] : []
  })
}

/** Joins neighbours that have one value. */
function joined(intervals: readonly Interval[]): readonly Interval[] {
  const result: Interval[] = []
  for (const interval of intervals) {
    const last = result.at(-1)
    if (last?.endMs === interval.startMs && last.value === interval.value)
      result[result.length - 1] = { ...last, endMs: interval.endMs }
    else result.push(interval)
  }
  return result
}

async function runAlarmIntervals(window: Window, operation: Operation): Promise<readonly Row[]> {
  const { scope, budget } = operation
  const toMs = Math.min(window.toMs, scope.nowMs)
  if (window.fromMs >= toMs) return []
  const where = [
    sql`machine = ${uint32(window.machine)}`,
    sql`slot >= ${second(slotOf(window.fromMs))} AND slot < ${second(Math.ceil(toMs / 1000) * 1000)}`,
    ...(window.key === null ? [] : [sql`alarm_key = ${str(window.key)}`]),
  ]
  const unfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]
  const found = await askRows(
    operation,
    sql`
      SELECT toString(alarm_key) AS metricKey, toString(alarm_code) AS nativeCode, alarm_level AS level,
        alarm_start_ms AS start_ms, argMax(alarm_end_ms, slot) AS end_ms, argMin(alarm_message, slot) AS description
      ${from(hours, scope.companyRef, { final: true, unfold, where })}
      GROUP BY metricKey, nativeCode, level, start_ms
      HAVING start_ms < ${int64(toMs)} AND end_ms > ${int64(window.fromMs)}
      ORDER BY start_ms, metricKey, nativeCode, level LIMIT ${uint64(budget.left + 1)}`,
    { metricKey: text, nativeCode: text, level: int, start_ms: wide, end_ms: wide, description: text },
  )
  return await mapInTurns(found, ({ level, start_ms, end_ms, metricKey, nativeCode, description }) => ({
    metricKey,
    nativeCode,
    description,
    state: level === levelCodes.code('FAULT') ? 'FAULT' : 'WARNING',
    startAt: isoText(Math.max(window.fromMs, start_ms)),
    endAt: end_ms > scope.nowMs && window.toMs > scope.nowMs ? null : isoText(Math.min(toMs, end_ms)),
  }))
}
