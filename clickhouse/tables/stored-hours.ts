import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { array, join, second, sql, type Sql } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { hours, repeatedHours } from './documents.ts'
import { from, ofMachines, type ReadOptions } from './from.ts'
import { identifier } from './table.ts'

/** Hours from here on are documents in `hours`. Earlier ones are older than the product: those that hold the same may be repeated hours. */
export const repeatedUntilMs = Date.UTC(2025, 0, 1)

/** Names the hours to be read: those that begin in [fromMs, toMs), UTC ms. */
export interface HourKeys {
  readonly fromMs: number
  readonly toMs: number
  /** Exactly these of them, by their starts; all by default. */
  readonly slots?: readonly number[]
  /** null: of all machines. */
  readonly machines: readonly MachineRef[] | null
  /** More conditions, on `machine` and `slot` alone. */
  readonly where?: readonly Sql[]
}

/** Names exactly these hours, by their starts, UTC ms. */
export function keysAt(slots: readonly number[], machines: readonly MachineRef[] | null): HourKeys {
  return { fromMs: Math.min(...slots), toMs: Math.max(...slots) + 1, slots, machines }
}

/** Tells how documents are read: arrays to be unfolded, and conditions on what it holds. */
export type HourReading = Pick<ReadOptions, 'unfold' | 'isPadded' | 'where'>

/**
 * The FROM clause of a company's hours, the newest version of each, with the columns of `hours`. Where they may be repeated hours, these are
 * read like documents.
 */
export function fromStoredHours(companyRef: CompanyRef, keys: HourKeys, reading: HourReading = {}): Sql {
  const { where = [] } = reading
  if (keys.fromMs >= repeatedUntilMs)
    return from(hours, companyRef, { ...reading, final: true, where: [...conditionsOf(keys), ...where] })
  const relation = join(
    [
      sql`SELECT ${documentColumns} ${ofDocuments(companyRef, keys)}`,
      sql`SELECT ${repeatedColumns} ${ofRepeated(companyRef, keys)}`,
    ],
    unionAll,
  )
  return from({ relation }, companyRef, { ...reading, where: [isNewest(companyRef, keys), ...where] })
}

/**
 * The FROM clause of the hours that are documents of their own, for readers of alarms, runs, setups, parts and adjustments: repeated hours
 * have none.
 */
export function fromEventfulHours(
  companyRef: CompanyRef,
  keys: HourKeys,
  { where = [], ...reading }: HourReading,
): Sql {
  const newest = keys.fromMs < repeatedUntilMs ? [isNewest(companyRef, keys)] : []
  return from(hours, companyRef, { ...reading, final: true, where: [...conditionsOf(keys), ...newest, ...where] })
}

/** The first and the last hour of each of these machines: columns machine, first_slot, last_slot. */
export function extentsOf(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  const where = [ofMachines(machines)]
  return sql`
    SELECT machine, min(first) AS first_slot, max(last) AS last_slot FROM (
      SELECT machine, min(slot) AS first, max(slot) AS last ${from(hours, companyRef, { where })} GROUP BY machine
      UNION ALL
      SELECT machine, min(first_slot) AS first, max(last_slot) AS last ${from(repeatedHours, companyRef, { where })} GROUP BY machine)
    GROUP BY machine`
}

const unionAll = sql`
  UNION ALL `

const hourColumns = Object.keys(hours.columns)
const documentColumns = join(hourColumns.map(identifier))
const repeatedColumns = join(
  hourColumns.map(name =>
    name === 'slot' || name in repeatedHours.columns ? identifier(name) : sql`[] AS ${identifier(name)}`,
  ),
)

/** Stored documents of the hours. */
function ofDocuments(companyRef: CompanyRef, keys: HourKeys, where: readonly Sql[] = []): Sql {
  return from(hours, companyRef, { final: true, where: [...conditionsOf(keys), ...where] })
}

/** Repeated hours as rows of their own, of a column `slot`. */
function ofRepeated(companyRef: CompanyRef, keys: HourKeys): Sql {
  const where = [...conditionsOf(keys), ...touching(keys)]
  return from(repeatedHours, companyRef, { final: true, unfold: [sql`slots AS slot`], where })
}

/** Condition: no hour of a higher version is stored. Only machines with repeated hours may have one hour more than once. */
function isNewest(companyRef: CompanyRef, keys: HourKeys): Sql {
  const { machines } = keys
  const where = [...touching(keys), ...(machines ? [ofMachines(machines)] : [])]
  const repeats = sql`machine IN (SELECT machine ${from(repeatedHours, companyRef, { where })})`
  return sql`(machine, slot, version) NOT IN (
    SELECT machine, slot, arrayJoin(arrayPopBack(arraySort(versions))) FROM (
      SELECT machine, slot, groupArray(version) AS versions FROM (
        SELECT machine, slot, version ${ofDocuments(companyRef, keys, [repeats])}
        UNION ALL SELECT machine, slot, version ${ofRepeated(companyRef, keys)})
      GROUP BY machine, slot HAVING length(versions) > 1))`
}

function conditionsOf({ fromMs, toMs, slots, machines, where = [] }: HourKeys): readonly Sql[] {
  const inTime = slots ? sql`slot IN ${array(second, slots)}` : within(sql`slot`, fromMs, toMs)
  return [...(machines ? [ofMachines(machines)] : []), inTime, ...where]
}

/** Conditions: a row of repeated hours may have some in the range. */
function touching({ fromMs, toMs }: HourKeys): readonly Sql[] {
  return [sql`last_slot >= ${second(columnBound(fromMs))}`, sql`first_slot <= ${second(columnBound(toMs))}`]
}
