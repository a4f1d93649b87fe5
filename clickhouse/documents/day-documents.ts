import type { ShopDay } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'
import { array, arrayOf, date, int64, join, literalInteger, sql, uint32, uint64 } from '../sql/sql.ts'
import type { Parameter, Sql } from '../sql/sql.ts'
import { type dayLists, days, dimensionNames, measureNames } from '../tables/documents.ts'
import { identifier } from '../tables/table.ts'
import { fromEventfulHours, fromStoredHours, hourColumns, type HourKeys, keysTouching } from '../tables/stored-hours.ts'

/** The elements of each group's tuples, in the order of the tuples. */
const elements = {
  facts: ['shift', 'run', 'operators', 'mode', 'scheduled', 'non_optional', 'first', 'last', ...measureNames],
  downtime: [...dimensionNames, 'reason', 'duration_ms', 'records', 'carried', 'within', 'lengths_ms'],
  spanning: ['record_start_ms', 'shift', 'run', 'reason', 'end'],
  setup: ['at', ...dimensionNames],
} as const satisfies { readonly [Group in keyof typeof dayLists]: readonly (keyof (typeof dayLists)[Group])[] }
type Group = keyof typeof elements

const dimensionColumns = join(dimensionNames.map(identifier))

/** Machines whose day documents get one version. */
export interface VersionedMachines {
  readonly machines: readonly MachineRef[]
  readonly version: bigint
}

/**
 * Selects the day documents of these machines from their hours, one row for each machine and day, also without hours. The cells of an hour
 * determine the day of its elements: they are cut where days begin.
 */
export function dayDocuments(companyRef: CompanyRef, versioned: readonly VersionedMachines[], shopDays: Days): Sql {
  const machines = versioned.flatMap(each => each.machines)
  const groups = ['facts', 'downtime', 'spanning', 'setup'] as const
  const hourRows: HourRows = { companyRef, machines, days: shopDays }
  const spanning = sql`arraySort(groupArrayArray(others)) AS spanning`
  return sql`
    INSERT INTO ${identifier(days.name)} (company, machine, shop_date, start_ms, end_ms, version, ${join(groups.flatMap(columnsOf))})
    SELECT ${uint32(companyRef)}, machine, day.2, day.1, day.3, ${versionOf(versioned)}, ${join(groups.flatMap(elementsOf))}
    FROM (
      SELECT machine, day, day.1 AS day_ms
      FROM (SELECT arrayJoin(${array(uint32, machines)}) AS machine, arrayJoin(${tuplesOf(shopDays)}) AS day)) AS listed
    LEFT JOIN (${byMachine('facts', facts(hourRows))}) AS facts_of_day USING (machine, day_ms)
    LEFT JOIN (${byMachine('downtime', downtimeSums(hourRows), spanning)}) AS downtime_of_day USING (machine, day_ms)
    LEFT JOIN (${byMachine('setup', setups(hourRows))}) AS setups_of_day USING (machine, day_ms)`
}

/** The version of a row's machine. */
function versionOf(versioned: readonly VersionedMachines[]): Sql {
  const [first] = versioned
  if (first && versioned.length === 1) return sql`${uint64(first.version)}`
  const pairs = versioned.flatMap(({ machines, version }) => machines.map(machine => ({ machine, version })))
  const machines = arrayOf(uint32, pairs, ({ machine }) => machine)
  const versions = arrayOf(uint64, pairs, ({ version }) => version)
  return sql`transform(machine, ${machines}, ${versions}, ${uint64(0)})`
}

type Days = readonly ShopDay[]

/** Documents of hours that touch the days. */
interface HourRows {
  readonly companyRef: CompanyRef
  readonly machines: readonly MachineRef[]
  readonly days: Days
}

/** Start, date and end of each day. */
function tuplesOf(shopDays: Days): Sql {
  const dates = arrayOf(date, shopDays, ({ shopDate }) => shopDate)
  return sql`arrayZip(${starts(shopDays)}, ${dates}, ${ends(shopDays)})`
}

const starts = (shopDays: Days): Parameter => arrayOf(int64, shopDays, ({ startMs }) => startMs)
const ends = (shopDays: Days): Parameter => arrayOf(int64, shopDays, ({ endMs }) => endMs)

function columnsOf(group: Group): readonly Sql[] {
  return elements[group].map(name => identifier(`${group}_${name}`))
}

/** Arrays of the elements; their lengths are equal, because they are read from one array of tuples. */
function elementsOf(group: Group): readonly Sql[] {
  return elements[group].map((_, i) => sql`tupleElement(${identifier(group)}, ${literalInteger(i + 1)})`)
}

function byMachine(group: Group, rowsOfGroup: Sql, ...more: readonly Sql[]): Sql {
  const tuple = join(elements[group].map(identifier))
  const columns = [sql`arraySort(groupArray((${tuple}))) AS ${identifier(group)}`, ...more]
  return sql`
    SELECT machine, day_ms, ${join(columns)} FROM (${rowsOfGroup}) GROUP BY machine, day_ms`
}

function facts(hourRows: HourRows): Sql {
  const sums = measureNames.map(name => sql`sum(${identifier(`facts_${name}`)}) AS ${identifier(name)}`)
  const unfold = [
    sql`facts_cell, ${arraysOf('facts')}, facts_first, facts_last`,
    ...measureNames.map(name => identifier(`facts_${name}`)),
  ]
  return sql`
    SELECT machine, ${dayOf(sql`facts_cell`, hourRows.days)} AS day_ms, ${dimensionsOf('facts')},
      min(${instant(sql`facts_first`)}) - day_ms AS first, max(${instant(sql`facts_last`)}) - day_ms AS last, ${join(sums)}
    ${fromHours('facts', hourRows, unfold)}
    GROUP BY machine, day_ms, ${dimensionColumns}`
}

/** Adds the `others`: the records that begin in a tuple, or continue in it, and are in `spanning`. */
function downtimeSums(hourRows: HourRows): Sql {
  const element = sql`element`
  const [at, till] = [ofElement(element, 'at'), ofElement(element, 'till')]
  const isWithin = sql`is_first AND empty(spanned)`
  return sql`
    SELECT machine, day_ms, ${join(dimensionNames.map(name => sql`${ofElement(element, name)} AS ${identifier(name)}`))}, reason,
      sum(${till} - ${at}) AS duration_ms, countIf(record = ${at}) AS records,
      countIf(record < day_ms AND ${at} = day_ms) AS carried, countIf(${isWithin}) AS within,
      arraySort(groupArrayIf(toUInt32(least(last_ms - record, ${int64(hourMs)})), ${isWithin})) AS lengths_ms,
      groupArrayArrayIf(arrayMap(dimensions -> (record, dimensions.1, dimensions.2, reason, last_ms - day_ms), spanned), is_first) AS others
    FROM (${downtimeRecords(hourRows)}) ARRAY JOIN elements AS element, arrayMap(i -> i = 1, arrayEnumerate(elements)) AS is_first
    GROUP BY machine, day_ms, ${dimensionColumns}, reason`
}

/** Downtime records, cut to each day, with their elements in order; and the dimensions of records with several of them. */
function downtimeRecords(hourRows: HourRows): Sql {
  const shopDays = hourRows.days
  const dimensions = sql`(${ofElement(sql`element`, 'shift')}, ${ofElement(sql`element`, 'run')})`
  const unfold = [
    sql`downtime_cell, ${arraysOf('downtime')}`,
    sql`downtime_start, downtime_end, downtime_reason, downtime_record_start_ms`,
  ]
  return sql`
      SELECT machine, day_ms, record, any(downtime_reason) AS reason,
        arraySort(groupArray((${join(elementMembers.map(identifier))}))) AS elements,
        ${ofElement(sql`elements[-1]`, 'till')} AS last_ms, arrayDistinct(arrayMap(element -> ${dimensions}, elements)) AS dimensions_in,
        record >= day_ms AND last_ms < transform(day_ms, ${starts(shopDays)}, ${ends(shopDays)}) AND length(dimensions_in) = 1 AS is_within,
        if(is_within, [], dimensions_in) AS spanned
      FROM (
        SELECT machine, ${dayOf(sql`downtime_cell`, shopDays)} AS day_ms, ${dimensionsOf('downtime')}, downtime_reason,
          downtime_record_start_ms AS record, ${instant(sql`downtime_start`)} AS at, ${instant(sql`downtime_end`)} AS till
        ${fromHours('downtime', hourRows, unfold)})
      GROUP BY machine, day_ms, record`
}

const elementMembers = ['at', 'till', ...dimensionNames] as const

function ofElement(element: Sql, name: (typeof elementMembers)[number]): Sql {
  return sql`tupleElement(${element}, ${literalInteger(elementMembers.indexOf(name) + 1)})`
}

function setups(hourRows: HourRows): Sql {
  return sql`
    SELECT machine, ${dayOf(sql`setup_at`, hourRows.days)} AS day_ms, ${instant(sql`setup_at`)} - day_ms AS at, ${dimensionsOf('setup')}
    ${fromEventfulHours(hourRows.companyRef, keysOf(hourRows), {
      unfold: [sql`setup_at, ${arraysOf('setup')}`],
      where: [areInDays(hourRows, sql`setup_at`)],
    })}`
}

type HourGroup = 'facts' | 'downtime' | 'setup'

function arraysOf(group: HourGroup): Sql {
  return join(dimensionNames.map(name => identifier(`${group}_${name}`)))
}

function dimensionsOf(group: HourGroup): Sql {
  return join(dimensionNames.map(name => sql`${identifier(`${group}_${name}`)} AS ${identifier(name)}`))
}

/** Elements of a group of the hours, as far as their cells lie in the days. */
function fromHours(group: 'facts' | 'downtime', hourRows: HourRows, unfold: readonly Sql[]): Sql {
  const where = [areInDays(hourRows, identifier(`${group}_cell`))]
  const columns = hourColumns.filter(name => name.startsWith(`${group}_`))
  return fromStoredHours(hourRows.companyRef, keysOf(hourRows), { columns, unfold, where })
}

function keysOf({ machines, days: shopDays }: HourRows): HourKeys {
  const { startMs, endMs } = boundsOf(shopDays)
  return keysTouching(startMs, endMs, machines)
}

/** Condition: an element is in the days; `offset` is its offset in its hour. */
function areInDays({ days: shopDays }: HourRows, offset: Sql): Sql {
  const { startMs, endMs } = boundsOf(shopDays)
  return sql`${instant(offset)} >= ${int64(startMs)} AND ${instant(offset)} < ${int64(endMs)}`
}

/** UTC ms of an offset in the row's hour. */
function instant(offset: Sql): Sql {
  return sql`(toInt64(toUnixTimestamp(slot)) * 1000 + ${offset})`
}

/** Start of the day that holds an offset in the row's hour. */
function dayOf(offset: Sql, shopDays: Days): Sql {
  return sql`roundDown(${instant(offset)}, ${starts(shopDays)})`
}

function boundsOf(shopDays: Days): { readonly startMs: number; readonly endMs: number } {
  const [first, last] = [shopDays[0], shopDays.at(-1)]
  if (!first || !last) throw new RangeError('No day to make documents of')
  return { startMs: first.startMs, endMs: last.endMs }
}
