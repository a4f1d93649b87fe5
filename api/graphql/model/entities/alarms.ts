import { int64, type Sql, sql } from '../../../../clickhouse/sql/sql.ts'
import { alarmIds } from '../../../../clickhouse/tables/alarms.ts'
import { fromEventfulHours } from '../../../../clickhouse/tables/stored-hours.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { levelCodes } from '../../../../clickhouse/tables/values.ts'
import { slotOf } from '../../../../shared/time/units.ts'
import { column, type Bounds, changingWith, type Entity, toOne, conditionsOn, unbounded } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import type { QueryScope } from '../scope.ts'
import { fromSelect } from '../sources.ts'

/** SQL of a key in the form in which the table of alarm ids stores keys: upper case, without underscores and spaces. */
function canonicalKey(key: Sql): Sql {
  return sql`replaceRegexpAll(upperUTF8(${key}), '[_\\s]', '')`
}

/** Joins the column alarm_id to a SELECT of alarms; 0: no id is assigned yet. */
export function withAlarmIds(scope: QueryScope, alarms: Sql): Sql {
  const starts = sql`start_ms IN (SELECT start_ms FROM (${alarms}))`
  // Renamed, because ClickHouse would qualify those columns of the alarms whose names occur in both tables.
  const ids = sql`
    SELECT machine AS id_machine, toString(key) AS id_key, toString(code) AS id_code, level AS id_level, start_ms AS id_start_ms,
      argMax(id, version) AS alarm_id
    ${from(alarmIds, scope.companyRef, { where: [starts] })}
    GROUP BY id_machine, id_key, id_code, id_level, id_start_ms`
  return sql`
    SELECT a.*, i.alarm_id
    FROM (${alarms}) AS a LEFT ANY JOIN (${ids}) AS i
    ON a.machine = i.id_machine AND ${canonicalKey(sql`a.key`)} = i.id_key AND a.code = i.id_code AND a.level = i.id_level
      AND a.start_ms = i.id_start_ms`
}

/** Columns of an alarm, from the columns machine, key, code, message, level, start_ms and alarm_id. */
export const alarmColumns = {
  alarmId: changingWith(
    column.intOrNull(
      sql`nullIf(alarm_id, 0)`,
      'Id as in the alarm reports; null until it is assigned, shortly after the start',
    ),
    'alarm-ids',
  ),
  metricKey: column.text(sql`key`),
  startAt: column.instant(sql`start_ms`),
  nativeCode: column.text(sql`code`),
  label: column.text(sql`substringUTF8(message, 1, 80)`, 'The first 80 characters of the message'),
  description: column.text(sql`message`, 'The message'),
  state: column.text(sql`if(level = ${levelCodes.param('FAULT')}, 'FAULT', 'WARNING')`, 'WARNING or FAULT'),
  machineRef: column.int(sql`machine`),
} as const

/**
 * Selects the alarms that started within the bounds, but not after now, from the hourly documents: each document from
 * the start to the end of an alarm contains it.
 */
function selectStarted({ companyRef, nowMs }: QueryScope, bounds: Bounds): Sql {
  const { fromMs } = bounds
  const keys = { fromMs: fromMs === null ? 0 : slotOf(fromMs), toMs: slotOf(nowMs) + 1, machines: null }
  const where = [...conditionsOn(bounds, 'machineRef'), sql`alarm_start_ms <= ${int64(nowMs)}`]
  const unfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]
  return sql`
    SELECT machine, toString(alarm_key) AS key, toString(alarm_code) AS code, argMin(alarm_message, slot) AS message,
      alarm_level AS level, alarm_start_ms AS start_ms, argMax(alarm_end_ms, slot) AS end_ms
    ${fromEventfulHours(companyRef, keys, { unfold, where })}
    GROUP BY machine, key, code, level, start_ms`
}

/** Alarms, active and ended. */
export const alarms: Entity = {
  name: 'Alarm',
  description: 'An active or ended alarm. A filter on startAt makes queries for old alarms faster',
  key: ['machineRef', 'metricKey', 'nativeCode', 'state', 'startAt'],
  order: ['startAt', 'machineRef'],
  columns: {
    ...alarmColumns,
    endAt: column.instantOrNull(
      ({ nowMs }) => sql`if(end_ms > ${int64(nowMs)}, NULL, end_ms)`,
      'null while the alarm is active',
    ),
  },
  relations: { machine: toOne('machines', ['machineRef', 'machineRef']) },
  reads: sourceReads('documents', 'time'),
  boundedBy: { instant: 'startAt', columns: ['machineRef'] },
  source: (scope, where, needed, bounds = unbounded) => {
    const rows = selectStarted(scope, bounds)
    return fromSelect(needed.has('alarmId') ? withAlarmIds(scope, rows) : rows, where)
  },
}
