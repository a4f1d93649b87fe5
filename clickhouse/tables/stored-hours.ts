import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { array, join, second, sql, type Sql } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { hours, repeatedHours } from './documents.ts'
import { from, ofMachines, type ReadOptions } from './from.ts'
import { type ColumnName, identifier } from './table.ts'

/**
 * Later hours are documents in `hours`. Earlier hours are older than the product: hours with equal content may be in `repeated_hours`, each
 * content once (`clickhouse/migrations/002-documents.sql`).
 */
export const repeatedUntilMs = Date.UTC(2025, 0, 1)

/** Selects the hours that begin in [fromMs, toMs), UTC ms. */
export interface HourKeys {
  readonly fromMs: number
  readonly toMs: number
  /** Starts of the hours; default: all. */
  readonly slots?: readonly number[]
  /** null: of all machines. */
  readonly machines: readonly MachineRef[] | null
  /** Further conditions on `machine` and `slot` only. */
  readonly where?: readonly Sql[]
}

/** Names exactly these hours, by their starts, UTC ms. */
export function keysAt(slots: readonly number[], machines: readonly MachineRef[] | null): HourKeys {
  const fromMs = slots.reduce((least, slotMs) => Math.min(least, slotMs), Infinity)
  const toMs = slots.reduce((most, slotMs) => Math.max(most, slotMs + 1), -Infinity)
  return { fromMs, toMs, slots, machines }
}

/** Names the hours that [fromMs, toMs) touches. */
export function keysTouching(fromMs: number, toMs: number, machines: HourKeys['machines']): HourKeys {
  return { fromMs: slotOf(fromMs), toMs: Math.ceil(toMs / hourMs) * hourMs, machines }
}

/** Arrays of the hours to unfold, and conditions on their elements. */
export interface HourReading extends Pick<ReadOptions, 'unfold' | 'isPadded' | 'where'> {
  /** Columns beside the key that are read, where they are few: the engine plans each column of each table. All by default. */
  readonly columns?: readonly HourColumn[]
}

/** A column of `hours`. */
export type HourColumn = ColumnName<typeof hours>

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table's own columns
export const hourColumns = Object.keys(hours.columns) as readonly HourColumn[]

/**
 * The FROM clause of a company's hours, the newest version of each, with the columns of `hours`. Hours before 2025 are read from both
 * tables.
 */
export function fromStoredHours(companyRef: CompanyRef, keys: HourKeys, reading: HourReading = {}): Sql {
  if (keys.fromMs >= repeatedUntilMs) return fromEventfulHours(companyRef, keys, reading)
  const columns = [...new Set([...keyColumns, ...(reading.columns ?? hourColumns)])]
  const relation = sql`SELECT ${join(columns.map(identifier))} ${fromEventfulHours(companyRef, keys)}
    UNION ALL ${unfolded(companyRef, keys, columns)}`
  return from({ relation }, companyRef, reading)
}

/**
 * The FROM clause of the hours in `hours`, the newest version of each: for alarms, runs, setups, parts and adjustments, which repeated hours
 * do not have.
 */
export function fromEventfulHours(companyRef: CompanyRef, keys: HourKeys, reading: HourReading = {}): Sql {
  const { where = [] } = reading
  const counts =
    keys.fromMs < repeatedUntilMs
      ? [
          sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${withSupersession(companyRef, keys)}) WHERE is_superseded)`,
        ]
      : []
  return from(hours, companyRef, { ...reading, final: true, where: [...conditionsOf(keys), ...counts, ...where] })
}

/** The first and the last hour of each of these machines: columns machine, first_slot, last_slot. */
export function extentsOf(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  const where = [ofMachines(machines)]
  return sql`
    SELECT machine, min(first) AS first_slot, max(last) AS last_slot FROM (
      SELECT machine, min(slot) AS first, max(slot) AS last ${from(hours, companyRef, { where })} GROUP BY machine
      UNION ALL
      SELECT machine, min(from_slot) AS first, max(until_slot) - 3600 AS last ${from(repeatedHours, companyRef, { where })}
      GROUP BY machine)
    GROUP BY machine`
}

const keyColumns = ['company', 'machine', 'slot', 'version'] as const

/** Selects the repeated hours that count, a row each: no later row of repeated hours and no later document contains them. */
function unfolded(companyRef: CompanyRef, keys: HourKeys, columns: readonly string[]): Sql {
  const stored = columns.filter(name => name in repeatedHours.columns)
  const asHours = columns.map(name =>
    name === 'slot' || stored.includes(name) ? identifier(name) : sql`[] AS ${identifier(name)}`,
  )
  // Many hours are in a row, and few of them may be wanted.
  const counts = sql`hour -> ${inTime(sql`hour`, keys)} AND NOT ${isInLater(sql`hour`)}`
  return sql`
    SELECT ${join(asHours)}
    FROM (
      SELECT ${join(stored.map(identifier))}, arrayFilter(${counts}, slots) AS counting
      FROM (SELECT ${join([...stored, 'slots'].map(identifier))} ${fromRepeated(companyRef, keys)}) AS kept
      INNER JOIN (${repeatedIntervals(companyRef, keys)}) AS known USING (machine))
    ARRAY JOIN counting AS slot
    WHERE ${join(conditionsOf(keys), sql` AND `)}
      AND (machine, slot) NOT IN (SELECT machine, slot FROM (${withSupersession(companyRef, keys)}) WHERE NOT is_superseded)`
}

/** Selects the documents of machines that have repeated hours, and whether a later row of repeated hours contains their hour: columns machine, slot, is_superseded. */
function withSupersession(companyRef: CompanyRef, keys: HourKeys): Sql {
  const where = [
    ...conditionsOf(keys),
    sql`slot < ${second(repeatedUntilMs)}`,
    sql`machine IN (SELECT machine ${fromRepeated(companyRef, keys)})`,
  ]
  return sql`
    SELECT machine, slot, ${isInLater(sql`slot`)} AS is_superseded
    FROM (SELECT machine, slot, version ${from(hours, companyRef, { final: true, where })}) AS stored
    INNER JOIN (${repeatedIntervals(companyRef, keys)}) AS known USING (machine)`
}

/** Condition: one of the machine's intervals contains the hour in a higher version. */
function isInLater(hour: Sql): Sql {
  return sql`arrayExists(each -> ${hour} >= each.1 AND ${hour} < each.2 AND version < each.3, intervals)`
}

/** Selects the intervals of repeated hours of each machine, [from_slot, until_slot) and version: columns machine, intervals. */
function repeatedIntervals(companyRef: CompanyRef, keys: HourKeys): Sql {
  return sql`
    SELECT machine, groupUniqArray((from_slot, until_slot, version)) AS intervals ${fromRepeated(companyRef, keys)}
    GROUP BY machine`
}

/** Rows of repeated hours that may have some of the hours. */
function fromRepeated(companyRef: CompanyRef, { fromMs, toMs, machines }: HourKeys): Sql {
  const where = [
    ...(machines ? [ofMachines(machines)] : []),
    sql`until_slot > ${second(columnBound(fromMs))}`,
    sql`from_slot <= ${second(columnBound(toMs))}`,
  ]
  return from(repeatedHours, companyRef, { final: true, where })
}

function conditionsOf({ machines, where = [], ...keys }: HourKeys): readonly Sql[] {
  return [...(machines ? [ofMachines(machines)] : []), inTime(sql`slot`, keys), ...where]
}

function inTime(hour: Sql, { fromMs, toMs, slots }: Pick<HourKeys, 'fromMs' | 'toMs' | 'slots'>): Sql {
  return slots ? sql`${hour} IN ${array(second, slots)}` : within(hour, fromMs, toMs)
}
