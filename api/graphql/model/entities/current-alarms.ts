import { int64, second, type Sql, sql } from '../../../../clickhouse/sql/sql.ts'
import { hours } from '../../../../clickhouse/tables/documents.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { hourMs, slotOf } from '../../../../shared/time/units.ts'
import { conditionsOn, type Entity, toOne, unbounded } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import type { QueryScope } from '../scope.ts'
import { fromSelect, instantIn, recordsOf } from '../sources.ts'
import { alarmColumns, withAlarmIds } from './alarms.ts'

/** Only hourly documents that started within this time are searched for active alarms. */
const maxDocumentAgeMs = 2 * hourMs

/**
 * Selects the active alarms: columns machine, key, code, message, level, start_ms. `ofMachines`: conditions on
 * `machine`.
 */
function selectActive({ companyRef, nowMs, ...scope }: QueryScope, ofMachines: readonly Sql[]): Sql {
  const now = int64(nowMs)
  const inService = sql`ifNull(${instantIn(sql`'decommissionedAt'`)} > ${now}, 1)`
  const machines = recordsOf('machine')({ companyRef, nowMs, ...scope }, [inService], new Set())
  const where = [
    sql`slot >= ${second(slotOf(nowMs - maxDocumentAgeMs))} AND slot <= ${second(slotOf(nowMs))}`,
    sql`machine IN (SELECT ref ${machines})`,
    ...ofMachines,
  ]
  // The newest document of each machine contains its active alarms.
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

/** Active alarms. */
export const currentAlarms: Entity = {
  name: 'CurrentAlarm',
  description: 'An active alarm',
  key: ['machineRef', 'metricKey', 'nativeCode', 'state'],
  order: ['startAt', 'machineRef'],
  columns: alarmColumns,
  relations: { machine: toOne('machines', ['machineRef', 'machineRef']) },
  reads: sourceReads('documents', 'machine', 'time'),
  boundedBy: { columns: ['machineRef'] },
  source: (scope, where, needed, bounds = unbounded) => {
    const active = selectActive(scope, conditionsOn(bounds, 'machineRef'))
    return fromSelect(needed.has('alarmId') ? withAlarmIds(scope, active) : active, where)
  },
}
