import { array, empty, int64, join, second, type Sql, sql, uint32 } from '../../clickhouse/sql/sql.ts'
import { within } from '../../clickhouse/sql/time-bounds.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { KeyName } from './columns.ts'
import type { Keys, RefFilters } from './plan.ts'

/** Documents that the store doesn't have, as a relation with the columns of both `cycle_states` and `part_states`. */
export type Carried = Sql

/** Tables that a relation of carried documents can stand for. */
export type DocumentTable = 'hours' | 'cycle_states' | 'part_states'

export const unionAll = sql`
  UNION ALL`

/** Whose rows are read. */
interface RowScope {
  readonly company: number
  /** Refs; null: all. */
  readonly machines: readonly number[] | null
}

/** What key columns are made of. */
interface KeyScope {
  readonly keys: Keys
  /** Bounds of all buckets, UTC ms, ascending. */
  readonly cellsMs: readonly number[]
}

/** Of pieces that have these columns (`at` for the cell); each selected as `k_<name>`. */
export const keySql: Readonly<Record<KeyName, (plan: KeyScope) => Sql>> = {
  // The last bound not after the cell's start: every bound is the start of a cell.
  cell: ({ cellsMs }) => sql`toUInt32(roundDown(at, ${seconds(cellsMs)})) AS k_cell`,
  machine: ({ keys }) =>
    keys.machine === 'team' ? sql`${teamOf(keys.teams)} AS k_machine` : sql`machine AS k_machine`,
  shift: () => sql`shift AS k_shift`,
  run: () => sql`run AS k_run`,
  operation: () => sql`run_operation AS k_operation`,
  ops: () => sql`ops AS k_ops`,
}

function seconds(instantsMs: readonly number[]) {
  return array(
    uint32,
    instantsMs.map(ms => ms / 1000),
  )
}

function teamOf(teams: Keys['teams']): Sql {
  return sql`transform(machine, ${array(uint32, [...teams.keys()])}, ${array(uint32, [...teams.values()])}, toUInt32(0))`
}

const dayMs = 24 * hourMs

/** Conditions for the rows of `days` with exactly these bounds: there may be days of another calendar, of the same dates. */
export function rowsOfDays({ company, machines }: RowScope, days: readonly TimeRange[]): readonly Sql[] {
  const starts = array(
    int64,
    days.map(({ startMs }) => startMs),
  )
  const ends = array(
    int64,
    days.map(({ endMs }) => endMs),
  )
  const [first, last] = [days[0]?.startMs ?? 0, days.at(-1)?.endMs ?? 0]
  return [
    ...ofCompany(company, machines),
    // Of the order of the table; a shop day lies within a day of its date.
    sql`shop_date BETWEEN toDate32(${second(first - dayMs)}) AND toDate32(${second(last + dayMs)})`,
    sql`start_ms IN ${starts} AND end_ms IN ${ends}`,
  ]
}

/** Start of a document's hour, UTC ms. */
export const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

/** Conditions for the rows of a table of hours that the range touches. What was carried on doesn't count twice where it has been written since. */
export function rowsOfHours(
  { company, machines }: RowScope,
  { startMs, endMs }: TimeRange,
  carried: Carried | null,
): readonly Sql[] {
  return [
    ...ofCompany(company, machines),
    within(sql`slot`, Math.floor(startMs / hourMs) * hourMs, Math.ceil(endMs / hourMs) * hourMs),
    ...notCarried(carried),
  ]
}

/** The same of exactly these hours, by their starts, UTC ms. */
export function rowsOfSlots(
  { company, machines }: RowScope,
  slots: readonly number[],
  carried: Carried | null,
): readonly Sql[] {
  return [...ofCompany(company, machines), sql`slot IN ${array(second, slots)}`, ...notCarried(carried)]
}

function notCarried(carried: Carried | null): readonly Sql[] {
  return carried ? [sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${carried}))`] : []
}

/** Conditions of the filters by shift and run, on pieces that have the columns. */
export function pieceConditions({ shifts, runs }: Pick<RefFilters, 'shifts' | 'runs'>): readonly Sql[] {
  return [
    ...(shifts ? [sql`shift IN ${array(uint32, shifts)}`] : []),
    ...(runs ? [sql`run IN ${array(uint32, runs)}`] : []),
  ]
}

/** Conditions for the rows of a company, and of these machines of it. */
export function ofCompany(company: number, machines: readonly number[] | null): readonly Sql[] {
  return [sql`company = ${uint32(company)}`, ...(machines ? [isOneOf(machines)] : [])]
}

export function isOneOf(machines: readonly number[]): Sql {
  return sql`machine IN ${array(uint32, machines)}`
}

export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? sql`WHERE ${join(conditions, sql` AND `)}` : empty
}
