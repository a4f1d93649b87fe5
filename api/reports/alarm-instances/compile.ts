import { levels } from '../../../clickhouse/documents/document-rows.ts'
import {
  array,
  int32,
  int64,
  join,
  second,
  sql,
  str,
  uint32,
  uint64,
  uint8,
  type Sql,
} from '../../../clickhouse/sql/sql.ts'
import type { AlarmInstancesPlan, Choice } from './plan.ts'

/** Where in the order of the pages one goes on: behind this instance. */
export interface Cursor {
  readonly startMs: number
  readonly id: number
}

/** No instance has this id: behind it are, of the instances that start at one instant, all (ASC) or none (DESC). */
export const beforeAllIds = 0

/**
 * The next instances that have an id, in the order of the page, whether they still exist or not: [id, machine, key, code, level,
 * start, version]. A row may come twice. Both tables are in the order of their pages, so that only these rows are read.
 */
export function compileCandidates(plan: AlarmInstancesPlan, after: Cursor, rows: number): Sql {
  const { orderBy, direction, company, nowMs } = plan
  const columns = sql`id, machine, key, code, level, start_ms, ver`
  const conditions = join(
    [sql`company = ${uint32(company)}`, sql`start_ms <= ${int64(nowMs)}`, ...conditionsOf(plan)],
    sql` AND `,
  )
  const limit = sql`LIMIT ${uint32(rows)}`
  const [start, id] = [int64(after.startMs), int32(after.id)]
  if (orderBy === 'id') {
    return direction === 'ASC'
      ? sql`SELECT ${columns} FROM alarm_ids_by_id WHERE ${conditions} AND id > ${id} ORDER BY id ${limit}`
      : sql`SELECT ${columns} FROM alarm_ids_by_id WHERE ${conditions} AND id < ${id} ORDER BY id DESC ${limit}`
  }
  return direction === 'ASC'
    ? sql`SELECT ${columns} FROM alarm_ids WHERE ${conditions}
        AND start_ms >= ${start} AND (start_ms > ${start} OR id > ${id}) ORDER BY start_ms, id ${limit}`
    : sql`SELECT ${columns} FROM alarm_ids WHERE ${conditions}
        AND start_ms <= ${start} AND (start_ms < ${start} OR id < ${id}) ORDER BY start_ms DESC, id DESC ${limit}`
}

/** The start of the instance that has or had this id; no row where none ever had. */
export function compileStartOf(company: number, id: number): Sql {
  return sql`
    SELECT start_ms FROM alarm_ids_by_id
    WHERE company = ${uint32(company)} AND id = ${int32(id)} ORDER BY ver DESC LIMIT 1`
}

/** What can be decided before the message is known. */
function conditionsOf({ machines, states, codes, natives }: AlarmInstancesPlan): readonly Sql[] {
  const level = array(
    uint8,
    states.map(state => levels.indexOf(state)),
  )
  return [
    ...choice(machines, sql`machine`, refs => array(uint32, refs)),
    ...choice(codes, sql`code`, texts => array(str, texts)),
    ...(natives.only ? [sql`code IN ${array(str, natives.only.map(codeIn))}`] : []),
    sql`level IN ${level}`,
  ]
}

function codeIn(native: string): string {
  const [code]: readonly string[] = JSON.parse(native)
  return code ?? ''
}

/** Conditions on a column of values that are chosen. */
export function choice<T>(
  { only, not }: Choice<T>,
  column: Sql,
  values: (of: readonly T[]) => Parameters<typeof sql>[1],
): readonly Sql[] {
  return [
    ...(only ? [sql`${column} IN ${values(only)}`] : []),
    ...(not.length > 0 ? [sql`${column} NOT IN ${values(not)}`] : []),
  ]
}

/** One hour of one machine. */
export interface MachineHour {
  readonly machine: number
  readonly slotMs: number
}

/** Pieces of alarm instances in those hours, of those starts: [machine, slot as Unix seconds, key, code, message, level, start, end]. */
export function compilePieces(company: number, hours: readonly MachineHour[], startsMs: readonly number[]): Sql {
  const distinct = <T>(values: readonly T[]) => [...new Set(values)]
  const slots = array(second, distinct(hours.map(({ slotMs }) => slotMs)))
  const machines = array(uint32, distinct(hours.map(({ machine }) => machine)))
  // Both lists find the rows, the pairs sort out which of them are meant.
  const pairs = array(
    uint64,
    hours.map(({ machine, slotMs }) => (BigInt(slotMs / 1000) << 32n) | BigInt(machine)),
  )
  return sql`
    SELECT machine, toUnixTimestamp(slot), piece_key, piece_code, piece_message, piece_level, piece_start, piece_end
    FROM alarm_states FINAL
    ARRAY JOIN a_key AS piece_key, a_code AS piece_code, a_message AS piece_message, a_level AS piece_level,
      a_start AS piece_start, a_end AS piece_end
    WHERE company = ${uint32(company)} AND slot IN ${slots} AND machine IN ${machines}
      AND bitOr(bitShiftLeft(toUInt64(toUnixTimestamp(slot)), 32), toUInt64(machine)) IN ${pairs}
      AND piece_start IN ${array(int64, distinct(startsMs))}`
}

/** Machines that have a document in [fromMs, toMs]. */
export function compileUpToDate(company: number, machines: readonly number[], fromMs: number, toMs: number): Sql {
  return sql`
    SELECT DISTINCT machine FROM alarm_states
    WHERE company = ${uint32(company)} AND slot >= ${second(fromMs)} AND slot <= ${second(toMs)}
      AND machine IN ${array(uint32, machines)}`
}

/** What the ids stand for: [code, message, level, id]. */
export function compileNativeCodes(company: number, ids: readonly number[]): Sql {
  return sql`
    SELECT code, message, level, id FROM native_codes
    WHERE company = ${uint32(company)} AND id IN ${array(int32, ids)}`
}
