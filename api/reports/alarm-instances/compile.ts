import { chosen } from '../compile/select.ts'
import { alarmIds, alarmIdsById } from '../../../clickhouse/tables/alarms.ts'
import { fromEventfulHours, fromStoredHours, keysOfHours } from '../../../clickhouse/tables/stored-hours.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { levelCodes } from '../../../clickhouse/tables/values.ts'
import { array, int32, int64, sql, str, uint32, uint8, type Sql } from '../../../clickhouse/sql/sql.ts'
import type { AlarmInstancesPlan } from './plan.ts'
import type { HourKey } from '../../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** The instance after which the next page starts. */
export interface InstanceCursor {
  readonly startMs: number
  readonly id: number
}

/** An id below all others: a cursor with it precedes all instances of its instant (ASC), or follows them (DESC). */
export const beforeAllIds = 0

/**
 * Selects the next instances that have an id, existing or deleted, in the order of the page: [id, machine, key, code, level, start,
 * version]. A row may be repeated. Both tables are in the order of their pages, so that only these rows are read.
 */
export function compileCandidates(plan: AlarmInstancesPlan, after: InstanceCursor, rows: number): Sql {
  const { orderBy, direction, companyRef, nowMs } = plan
  const columns = sql`id, machine AS machineRef, key, code AS nativeCode, level, start_ms AS startMs, toString(version) AS version_text`
  const conditions = [sql`start_ms <= ${int64(nowMs)}`, ...conditionsOf(plan)]
  const limit = sql`LIMIT ${uint32(rows)}`
  const [start, id] = [int64(after.startMs), int32(after.id)]
  if (orderBy === 'id') {
    const isAfter = direction === 'ASC' ? sql`id > ${id}` : sql`id < ${id}`
    const inOrder = direction === 'ASC' ? sql`ORDER BY id` : sql`ORDER BY id DESC`
    const rowsById = from(alarmIdsById, companyRef, { where: [...conditions, isAfter] })
    return sql`SELECT ${columns} ${rowsById} ${inOrder} ${limit}`
  }
  const isAfter =
    direction === 'ASC'
      ? sql`start_ms >= ${start} AND (start_ms > ${start} OR id > ${id})`
      : sql`start_ms <= ${start} AND (start_ms < ${start} OR id < ${id})`
  const inOrder = direction === 'ASC' ? sql`ORDER BY start_ms, id` : sql`ORDER BY start_ms DESC, id DESC`
  return sql`SELECT ${columns} ${from(alarmIds, companyRef, { where: [...conditions, isAfter] })} ${inOrder} ${limit}`
}

/** Selects the start of the instance that has or had this id. */
export function compileStartOf(companyRef: CompanyRef, id: number): Sql {
  return sql`
    SELECT start_ms AS startMs ${from(alarmIdsById, companyRef, { where: [sql`id = ${int32(id)}`] })}
    ORDER BY version DESC LIMIT 1`
}

/** Conditions that need no message. A native code is matched only by its code here. */
function conditionsOf({ machines, states, codes, natives }: AlarmInstancesPlan): readonly Sql[] {
  const level = array(
    uint8,
    states.map(state => levelCodes.code(state)),
  )
  return [
    ...chosen(machines, sql`machine`, refs => array(uint32, refs)),
    ...chosen(codes, sql`code`, texts => array(str, texts)),
    ...(natives.only ? [sql`code IN ${array(str, natives.only.map(codeIn))}`] : []),
    sql`level IN ${level}`,
  ]
}

function codeIn(native: string): string {
  const [code]: readonly string[] = JSON.parse(native)
  return code ?? ''
}

/**
 * Selects elements of alarm instances that lie in these hours, of instances that began at these instants (UTC ms):
 * [machine, slotMs, key, nativeCode, message, level, startMs, endMs].
 */
export function compileElements(
  companyRef: CompanyRef,
  requested: readonly HourKey[],
  startsMs: readonly number[],
): Sql {
  const where = [sql`alarm_start_ms IN ${array(int64, [...new Set(startsMs)])}`]
  const unfold = [sql`alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms`]
  return sql`
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, alarm_key AS key, alarm_code AS nativeCode,
      alarm_message AS message, alarm_level AS level, alarm_start_ms AS startMs, alarm_end_ms AS endMs
    ${fromEventfulHours(companyRef, keysOfHours(requested), { unfold, where })}`
}

/** Machines that have a document in [fromMs, toMs]. */
export function compileUpToDate(
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Sql {
  const keys = { fromMs, toMs: toMs + 1, machines }
  return sql`SELECT DISTINCT machine AS machineRef ${fromStoredHours(companyRef, keys)}`
}
