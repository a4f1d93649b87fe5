import type { HourKey } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { array, join, second, sql, type Sql, uint64 } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { hours, repeatedHours } from './documents.ts'
import { from, ofMachines, type ReadOptions, whereAll } from './from.ts'
import { type ColumnName, identifier } from './table.ts'

/**
 * Hours from this instant on are documents in `hours`. Earlier equal hours may be in `repeated_hours`, each content once
 * (`clickhouse/migrations/002-documents.sql`).
 */
export const repeatedUntilMs = Date.UTC(2025, 0, 1)

/** Hours to read: those that begin in [fromMs, toMs), UTC ms. */
export interface HourKeys {
  readonly fromMs: number
  readonly toMs: number
  /** Only hours with these starts; default: all. */
  readonly slots?: readonly number[]
  /** null: all machines. */
  readonly machines: readonly MachineRef[] | null
  /** Further conditions on `machine` and `slot`. */
  readonly where?: readonly Sql[]
}

/** Selects the hours with these starts, UTC ms. */
export function keysAt(slots: readonly number[], machines: readonly MachineRef[] | null): HourKeys {
  const fromMs = slots.reduce((least, slotMs) => Math.min(least, slotMs), Infinity)
  const toMs = slots.reduce((most, slotMs) => Math.max(most, slotMs + 1), -Infinity)
  return { fromMs, toMs, slots, machines }
}

/** Selects exactly these hours of these machines. */
export function keysOfHours(requested: readonly HourKey[]): HourKeys {
  const slots = [...new Set(requested.map(({ slotMs }) => slotMs))]
  const machines = [...new Set(requested.map(({ machineRef }) => machineRef))]
  // The two lists limit the rows that are read; the pairs select the requested hours.
  const pairs = array(
    uint64,
    requested.map(({ machineRef, slotMs }) => (BigInt(slotMs / 1000) << 32n) | BigInt(machineRef)),
  )
  const isRequested = sql`bitOr(bitShiftLeft(toUInt64(toUnixTimestamp(slot)), 32), toUInt64(machine)) IN ${pairs}`
  return { ...keysAt(slots, machines), where: [isRequested] }
}

/** Selects the hours that overlap [fromMs, toMs). */
export function keysTouching(fromMs: number, toMs: number, machines: HourKeys['machines']): HourKeys {
  return { fromMs: slotOf(fromMs), toMs: Math.ceil(toMs / hourMs) * hourMs, machines }
}

/** Options of a read of hours. */
export interface HourReading extends Pick<ReadOptions, 'unfold' | 'isPadded' | 'where'> {
  /** Columns to read besides the key, if they are few: the engine plans each column of each table. Default: all. */
  readonly columns?: readonly HourColumn[]
}

/** A column of `hours`. */
export type HourColumn = ColumnName<typeof hours>

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table's own columns
export const hourColumns = Object.keys(hours.columns) as readonly HourColumn[]

/**
 * Returns the FROM clause of a company's hours in their newest version, with the columns of `hours`. Hours before 2025
 * are read from both tables.
 */
export function fromStoredHours(companyRef: CompanyRef, keys: HourKeys, reading: HourReading = {}): Sql {
  if (keys.fromMs >= repeatedUntilMs) return fromEventfulHours(companyRef, keys, reading)
  const columns = [...new Set([...keyColumns, ...(reading.columns ?? hourColumns)])]
  const relation = sql`SELECT ${join(columns.map(identifier))} ${fromEventfulHours(companyRef, keys)}
    UNION ALL ${unfolded(companyRef, keys, columns)}`
  return from({ relation }, companyRef, reading)
}

/**
 * Returns the FROM clause of the documents in `hours` in their newest version, for readers of alarms, runs, setups, parts
 * and adjustments, which repeated hours do not have.
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

/** Selects the first and the last hour of each of these machines: columns machine, first_slot, last_slot. */
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

/** Selects the valid repeated hours, one row each: those that no later row or document replaces. */
function unfolded(companyRef: CompanyRef, keys: HourKeys, columns: readonly string[]): Sql {
  const stored = columns.filter(name => name in repeatedHours.columns)
  const asHours = columns.map(name =>
    name === 'slot' || stored.includes(name) ? identifier(name) : sql`[] AS ${identifier(name)}`,
  )
  // A row may contain many hours of which few are requested.
  const counts = sql`hour -> ${inTime(sql`hour`, keys)} AND NOT ${isInLater(sql`hour`)}`
  const isNotDocument = sql`(machine, slot) NOT IN (SELECT machine, slot FROM (${withSupersession(companyRef, keys)}) WHERE NOT is_superseded)`
  return sql`
    SELECT ${join(asHours)}
    FROM (
      SELECT ${join(stored.map(identifier))}, arrayFilter(${counts}, slots) AS counting
      FROM (SELECT ${join([...stored, 'slots'].map(identifier))} ${fromRepeated(companyRef, keys)}) AS kept
      INNER JOIN (${repeatedIntervals(companyRef, keys)}) AS known USING (machine))
    ARRAY JOIN counting AS slot
    ${whereAll([...conditionsOf(keys), isNotDocument])}`
}

/** Selects the documents of machines with repeated hours, and whether a later row replaces them: machine, slot, is_superseded. */
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

/** Returns the condition that an interval of the machine with a higher version contains the hour. */
function isInLater(hour: Sql): Sql {
  return sql`arrayExists(each -> ${hour} >= each.1 AND ${hour} < each.2 AND version < each.3, intervals)`
}

/** Selects the intervals of repeated hours of each machine, [from_slot, until_slot) and version: columns machine, intervals. */
function repeatedIntervals(companyRef: CompanyRef, keys: HourKeys): Sql {
  return sql`
    SELECT machine, groupUniqArray((from_slot, until_slot, version)) AS intervals ${fromRepeated(companyRef, keys)}
    GROUP BY machine`
}

/** Selects the rows of repeated hours that may contain the hours. */
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
