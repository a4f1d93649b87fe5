import { float, narrow, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { fromEventfulHours } from '../../../clickhouse/tables/stored-hours.ts'
import { int64, sql, str, uint64 } from '../../../clickhouse/sql/sql.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { samples } from '../../../clickhouse/tables/samples.ts'
import { levelCodes } from '../../../clickhouse/tables/values.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { slotOf } from '../../../shared/time/units.ts'
import type { FunctionName } from '../model/functions.ts'
import { queryRows, type OperationContext } from './context.ts'
import { mapCooperatively } from './map-cooperatively.ts'
import type { ResultRow } from './lists.ts'
import { charsOf, type Selected } from './selection.ts'
import { isDerivedKey, runStateIntervals } from './state-intervals.ts'
import { orderByTime, inWindow, windowConditions, type Window, parseWindow } from './window.ts'

const runners: Readonly<
  Record<FunctionName, (window: Window, operation: OperationContext) => Promise<readonly ResultRow[]>>
> = {
  samples: runSamples,
  quantities: runQuantities,
  stateIntervals: runStateIntervals,
  alarmIntervals: runAlarmIntervals,
}

/** Whether a function reads raw samples in addition to documents. */
function readsSamples(name: FunctionName, { key }: Window): boolean {
  if (name === 'stateIntervals') return !isDerivedKey(key)
  return name !== 'alarmIntervals'
}

/**
 * Runs a function; returns its rows, in the form of the response. Throws a `GraphQLError` if an argument is invalid.
 */
export async function runFunction(
  name: FunctionName,
  args: Readonly<Record<string, unknown>>,
  fields: readonly Selected[],
  operation: OperationContext,
): Promise<readonly ResultRow[]> {
  const window = parseWindow(args['args'])
  const isNonEmpty = window.fromMs < window.toMs
  if (isNonEmpty && readsSamples(name, window)) await operation.recentSamples(window.toMs)
  const found = isNonEmpty ? await runners[name](window, operation) : []
  operation.budget.countRows(found.length)
  operation.budget.countValues(found.length * fields.length)
  operation.budget.countChars(found.length * charsOf(fields))
  await operation.budget.countTexts(fields.map(({ name }) => found.map(row => row[name])))
  const shown = (row: ResultRow) =>
    Object.fromEntries(fields.map(field => [field.key, field.typeName ?? row[field.name] ?? null]))
  return await mapCooperatively(found, shown, operation.signal)
}

async function runSamples(window: Window, operation: OperationContext): Promise<readonly ResultRow[]> {
  const { scope, budget } = operation
  const where = [...windowConditions(window), inWindow(window)]
  const found = await queryRows(
    operation,
    sql`
      SELECT intDiv(at_us, 1000) AS at_ms, value, toString(type) AS type, toString(subtype) AS subtype,
        toString(category) AS category, toString(native_code) AS nativeCode, toString(native_severity) AS nativeSeverity,
        toString(qualifier) AS qualifier, message
      ${from(samples, scope.companyRef, { final: true, where })} ${orderByTime} LIMIT ${uint64(budget.rowsLeft + 1)}`,
    {
      at_ms: wide,
      value: storedText,
      type: storedText,
      subtype: storedText,
      category: storedText,
      nativeCode: storedText,
      nativeSeverity: storedText,
      qualifier: storedText,
      message: storedText,
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

/** Converts '', which the store contains for a value that was not sent, to null. */
function orNull(sent: string): string | null {
  return sent === '' ? null : sent
}

async function runQuantities(window: Window, operation: OperationContext): Promise<readonly ResultRow[]> {
  const { scope, budget } = operation
  const isNumber = sql`isFinite(ifNull(toFloat64OrNull(value), nan))`
  const where = [...windowConditions(window), inWindow(window), isNumber]
  const found = await queryRows(
    operation,
    sql`
      SELECT intDiv(at_us, 1000) AS at_ms, assumeNotNull(toFloat64OrNull(value)) AS quantity
      ${from(samples, scope.companyRef, { final: true, where })} ${orderByTime} LIMIT ${uint64(budget.rowsLeft + 1)}`,
    { at_ms: wide, quantity: float },
  )
  return await mapCooperatively(found, ({ at_ms, quantity }) => ({ at: isoText(at_ms), value: quantity }))
}

async function runAlarmIntervals(window: Window, operation: OperationContext): Promise<readonly ResultRow[]> {
  const { scope, budget } = operation
  const toMs = Math.min(window.toMs, scope.nowMs)
  if (window.fromMs >= toMs) return []
  const keys = { fromMs: slotOf(window.fromMs), toMs, machines: [window.machine] }
  const where = window.key === null ? [] : [sql`alarm_key = ${str(window.key)}`]
  const unfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]
  const found = await queryRows(
    operation,
    sql`
      SELECT toString(alarm_key) AS metricKey, toString(alarm_code) AS nativeCode, alarm_level AS level,
        alarm_start_ms AS start_ms, argMax(alarm_end_ms, slot) AS end_ms, argMin(alarm_message, slot) AS description
      ${fromEventfulHours(scope.companyRef, keys, { unfold, where })}
      GROUP BY metricKey, nativeCode, level, start_ms
      HAVING start_ms < ${int64(toMs)} AND end_ms > ${int64(window.fromMs)}
      ORDER BY start_ms, metricKey, nativeCode, level LIMIT ${uint64(budget.rowsLeft + 1)}`,
    {
      metricKey: storedText,
      nativeCode: storedText,
      level: narrow,
      start_ms: wide,
      end_ms: wide,
      description: storedText,
    },
  )
  return await mapCooperatively(found, ({ level, start_ms, end_ms, metricKey, nativeCode, description }) => ({
    metricKey,
    nativeCode,
    description,
    state: level === levelCodes.code('FAULT') ? 'FAULT' : 'WARNING',
    startAt: isoText(Math.max(window.fromMs, start_ms)),
    endAt: end_ms > scope.nowMs && window.toMs > scope.nowMs ? null : isoText(Math.min(toMs, end_ms)),
  }))
}
