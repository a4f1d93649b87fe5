import { int64, second, type Sql, sql } from '../../../../clickhouse/sql/sql.ts'
import { alarmIds } from '../../../../clickhouse/tables/alarms.ts'
import { hours } from '../../../../clickhouse/tables/documents.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { levelCodes } from '../../../../clickhouse/tables/values.ts'
import { hourMs, slotOf } from '../../../../shared/time/units.ts'
import { changingWith, type Entity, instant, int, intOrNull, one, text } from '../entity.ts'
import { readings } from '../readings.ts'
import type { Scope } from '../scope.ts'
import { fromSelect, instantIn, recordsOf } from '../sources.ts'

/** How long ago the document may end that says what is active now. */
const knownForMs = 2 * hourMs

/** The alarm instances that are active: columns machine, key, code, message, level, start_ms. */
function activeAlarms({ companyRef, nowMs, ...scope }: Scope): Sql {
  const now = int64(nowMs)
  const inService = sql`ifNull(${instantIn(sql`'decommissionedAt'`)} > ${now}, 1)`
  const machines = recordsOf('machine')({ companyRef, nowMs, ...scope }, [inService], new Set())
  const where = [
    sql`slot >= ${second(slotOf(nowMs - knownForMs))} AND slot <= ${second(slotOf(nowMs))}`,
    sql`machine IN (SELECT ref ${machines})`,
  ]
  // The newest document of each machine says what goes on.
  const newest = sql`
    SELECT machine, alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms
    ${from(hours, companyRef, { final: true, where })} ORDER BY slot DESC LIMIT 1 BY machine`
  return sql`
    SELECT machine, toString(alarm_key) AS key, toString(alarm_code) AS code, alarm_message AS message,
      alarm_level AS level, alarm_start_ms AS start_ms
    FROM (${newest})
    ARRAY JOIN alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms
    WHERE start_ms <= ${now} AND alarm_end_ms > ${now}`
}

/** A key in the form by which ids are given out: in upper case, without underscores and spaces. */
function canonical(key: Sql): Sql {
  return sql`replaceRegexpAll(upperUTF8(${key}), '[_\\s]', '')`
}

/** The active alarms with their ids: column alarm_id, 0 where none was given out yet. */
function identified(scope: Scope): Sql {
  const starts = sql`start_ms IN (SELECT start_ms FROM (${activeAlarms(scope)}))`
  const ids = sql`
    SELECT machine, toString(key) AS key, toString(code) AS code, level, start_ms, argMax(id, version) AS id
    ${from(alarmIds, scope.companyRef, { where: [starts] })} GROUP BY machine, key, code, level, start_ms`
  return sql`
    SELECT a.machine AS machine, a.key AS key, a.code AS code, a.message AS message, a.level AS level,
      a.start_ms AS start_ms, i.id AS alarm_id
    FROM (${activeAlarms(scope)}) AS a LEFT ANY JOIN (${ids}) AS i
    ON a.machine = i.machine AND ${canonical(sql`a.key`)} = i.key AND a.code = i.code AND a.level = i.level AND a.start_ms = i.start_ms`
}

/** Alarms that are active now. */
export const currentAlarms: Entity = {
  name: 'CurrentAlarm',
  description: 'An alarm that is active',
  key: ['machineRef', 'metricKey', 'nativeCode', 'state'],
  order: ['startAt', 'machineRef'],
  columns: {
    alarmId: changingWith(
      intOrNull(sql`nullIf(alarm_id, 0)`, 'As in the alarm reports; null for a moment until it is given out'),
      'alarm-ids',
    ),
    metricKey: text(sql`key`),
    startAt: instant(sql`start_ms`),
    nativeCode: text(sql`code`),
    label: text(sql`substringUTF8(message, 1, 80)`, 'The first 80 characters of the message'),
    description: text(sql`message`, 'The message'),
    state: text(sql`if(level = ${levelCodes.param('FAULT')}, 'FAULT', 'WARNING')`, 'WARNING or FAULT'),
    machineRef: int(sql`machine`),
  },
  relations: { machine: one('machines', ['machineRef', 'machineRef']) },
  reads: readings('documents', 'machine', 'time'),
  source: (scope, where, needed) => fromSelect(needed.has('alarmId') ? identified(scope) : activeAlarms(scope), where),
}
