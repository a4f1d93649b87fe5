import { array, int64, second, type Sql, sql, uint32 } from '../../clickhouse/sql/sql.ts'
import { within } from '../../clickhouse/sql/time-bounds.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import { type cycleStates, days, type hours, type partStates } from '../../clickhouse/tables/documents.ts'
import { from, ofMachines, type Reading, type Relation } from '../../clickhouse/tables/from.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import type { KeyName } from './columns.ts'
import type { Keys, RefFilters } from './plan.ts'

/** Documents that the store does not have, as a relation with the columns of the tables of hours. */
export type Provisional = Relation

/** Tables that a relation of provisional documents can stand for. */
export type DocumentTable = typeof hours | typeof cycleStates | typeof partStates

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
    keys.machine === 'set' ? sql`${machineGroupSetOf(keys.machineGroupSets)} AS k_machine` : sql`machine AS k_machine`,
  shift: () => sql`shift AS k_shift`,
  run: () => sql`run AS k_run`,
  operation: () => sql`run_operation AS k_operation`,
  operators: () => sql`operators AS k_operators`,
}

function seconds(instantsMs: readonly number[]) {
  return array(
    uint32,
    instantsMs.map(ms => ms / 1000),
  )
}

function machineGroupSetOf(machineGroupSets: Keys['machineGroupSets']): Sql {
  return sql`transform(machine, ${array(uint32, [...machineGroupSets.keys()])}, ${array(uint32, [...machineGroupSets.values()])}, toUInt32(0))`
}

/** What is read of rows: arrays to be unfolded, and conditions that must hold beside those of the rows. */
export type Elements = Pick<Reading, 'unfold' | 'where'>

/** Elements of the rows of `days` with exactly these bounds: there may be days of another calendar, of the same dates. */
export function fromDays({ company, machines }: RowScope, shopDays: readonly TimeRange[], elements: Elements): Sql {
  const starts = array(
    int64,
    shopDays.map(({ startMs }) => startMs),
  )
  const ends = array(
    int64,
    shopDays.map(({ endMs }) => endMs),
  )
  const firstMs = Math.min(...shopDays.map(({ startMs }) => startMs))
  const lastMs = Math.max(...shopDays.map(({ endMs }) => endMs))
  const where = [
    ...isOneOf(machines),
    // Of the order of the table; a shop day lies within a day of its date.
    sql`shop_date BETWEEN toDate32(${second(firstMs - dayMs)}) AND toDate32(${second(lastMs + dayMs)})`,
    sql`start_ms IN ${starts} AND end_ms IN ${ends}`,
    ...(elements.where ?? []),
  ]
  return from(days, company, { ...elements, final: true, where })
}

/** Start of a document's hour, UTC ms. */
export const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

/**
 * Elements of the rows of a table of hours that the range touches. A provisional document does not count where it has been written
 * since.
 */
export function fromHours(
  table: DocumentTable,
  { company, machines }: RowScope,
  { startMs, endMs }: TimeRange,
  provisional: Provisional | null,
  elements: Elements,
): Sql {
  const inRange = within(sql`slot`, Math.floor(startMs / hourMs) * hourMs, Math.ceil(endMs / hourMs) * hourMs)
  const where = [...isOneOf(machines), inRange, ...notProvisional(provisional), ...(elements.where ?? [])]
  return from(table, company, { ...elements, final: true, where })
}

/** The same of exactly these hours, by their starts, UTC ms. */
export function fromSlots(
  table: DocumentTable,
  { company, machines }: RowScope,
  slots: readonly number[],
  provisional: Provisional | null,
  elements: Elements,
): Sql {
  const inSlots = sql`slot IN ${array(second, slots)}`
  const where = [...isOneOf(machines), inSlots, ...notProvisional(provisional), ...(elements.where ?? [])]
  return from(table, company, { ...elements, final: true, where })
}

/** The same of provisional documents. */
export function fromProvisional({ company, machines }: RowScope, provisional: Provisional, elements: Elements): Sql {
  return from(provisional, company, { ...elements, where: [...isOneOf(machines), ...(elements.where ?? [])] })
}

function notProvisional(provisional: Provisional | null): readonly Sql[] {
  return provisional ? [sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${provisional.relation}))`] : []
}

/** Conditions of the filters by shift and run, on pieces that have the columns. */
export function pieceConditions({ shifts, runs }: Pick<RefFilters, 'shifts' | 'runs'>): readonly Sql[] {
  return [
    ...(shifts ? [sql`shift IN ${array(uint32, shifts)}`] : []),
    ...(runs ? [sql`run IN ${array(uint32, runs)}`] : []),
  ]
}

/** Condition for the rows of these machines; null: of all. */
function isOneOf(machines: readonly number[] | null): readonly Sql[] {
  return machines ? [ofMachines(machines)] : []
}
