import type { DayStore, ShopDay, StoredCoverage } from '../../schema/document-store.ts'
import { hourMs } from '../../shared/time/units.ts'
import { array, date, ident, int64, join, sql, uint32, uint64, uint8 } from '../sql/sql.ts'
import type { Parameter, Sql } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { within } from '../sql/time-bounds.ts'

/** The part of the processor's port that is about day documents. Rejects with `StoreError`. */
export function createDayStore(store: Store): DayStore {
  return {
    async buildDays(company, machines, days, version) {
      if (machines.length === 0 || days.length === 0) return
      // Not in the lane of inserts: samples would wait behind it.
      await store.command(dayDocuments(company, machines, days, version), { lane: 'process' })
    },

    async readCoverage(partition, companies) {
      const [company, startMs, endMs, partitions, epoch] = await store.columns<NumbersAndEpoch>(
        storedCoverage(partition, companies),
        processRead,
      )
      return company.map((ref, i): StoredCoverage => ({
        company: ref,
        startMs: startMs[i] ?? 0,
        endMs: endMs[i] ?? 0,
        partitions: partitions[i] ?? 0,
        epoch: BigInt(epoch[i] ?? 0),
      }))
    },

    async writeCoverage(rows) {
      const lines = rows.map(row =>
        JSON.stringify([
          row.company,
          row.startMs,
          row.endMs,
          row.partition,
          row.partitions,
          Number(row.covered),
          Math.min(row.firstMs, Number.MAX_SAFE_INTEGER),
          String(row.epoch),
          String(row.version),
          dayFormat,
        ]),
      )
      await store.insert('day_coverage', coverageColumns, lines.join('\n'))
    },

    async readStaleDays(companies) {
      const [company, machine, startMs, endMs] = await store.columns<[number[], number[], number[], number[]]>(
        sql`
          SELECT company, machine, start_ms, end_ms FROM stale_days FINAL
          WHERE company IN ${array(uint32, companies)} AND stale = 1`,
        processRead,
      )
      return company.map((ref, i) => ({
        company: ref,
        machine: machine[i] ?? 0,
        startMs: startMs[i] ?? 0,
        endMs: endMs[i] ?? 0,
      }))
    },

    async writeStaleDays(rows) {
      const lines = rows.map(({ company, startMs, endMs, machine, stale, version }) =>
        JSON.stringify([company, startMs, endMs, machine, Number(stale), String(version)]),
      )
      await store.insert('stale_days', ['company', 'start_ms', 'end_ms', 'machine', 'stale', 'ver'], lines.join('\n'))
    },
  }
}

type NumbersAndEpoch = [number[], number[], number[], number[], string[]]

/** Int64 columns as numbers: instants stay below 2^53; versions are read as text. */
const processRead: QueryOptions = { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } }

const coverageColumns = [
  'company',
  'start_ms',
  'end_ms',
  'partition',
  'partitions',
  'covered',
  'first_ms',
  'epoch',
  'ver',
  'format',
] as const

/** Of the documents made here. Days of another one are made again: they count in no epoch that is begun after they were taken over. */
const dayFormat = 1

/** A partition's own word of each company, and the days that it covers by it, of documents as they are made here. */
function storedCoverage(partition: number, companies: readonly number[]): Sql {
  const ofThese = sql`partition = ${uint32(partition)} AND company IN ${array(uint32, companies)}`
  return sql`
    SELECT company, start_ms, end_ms, partitions, toString(epoch) FROM day_coverage FINAL
    WHERE ${ofThese} AND covered = 1 AND format = ${uint8(dayFormat)} AND (company, epoch) IN (
      SELECT company, epoch FROM day_coverage FINAL WHERE ${ofThese} AND start_ms = 0 AND end_ms = 0)
    ORDER BY company, start_ms`
}

const dimensions = ['shift', 'run', 'ops', 'mode', 'scheduled', 'nonoptional'] as const
const factSums = ['ms', 'cycle', 'spindle', 'cut', 'parts', 'adjusted', 'scrap', 'nonconform'] as const

/** Columns of `days` by prefix: the elements of each entry's tuple, in this order. */
const entries = {
  f: [...dimensions, 'first', 'last', ...factSums],
  r: [...dimensions, 'reason', 'ms', 'records', 'carried', 'within', 'lengths'],
  x: ['record', 'shift', 'run', 'reason', 'end'],
  u: ['at', ...dimensions],
} as const
type Prefix = keyof typeof entries

const dimensionNames = join(dimensions.map(name => ident(name)))

/**
 * Makes the day documents of these machines from their hours, one row for each machine and day, also where there are no hours.
 * What of an hour lies in which day is told by its cells: they are cut where days begin.
 */
function dayDocuments(company: number, machines: readonly number[], days: Days, version: bigint): Sql {
  const prefixes = ['f', 'r', 'x', 'u'] as const
  const hours = hoursOf(company, machines, days)
  return sql`
    INSERT INTO days (company, machine, shop_date, start_ms, end_ms, ver, ${join(prefixes.flatMap(columnsOf))})
    SELECT ${uint32(company)}, machine, day.2, day.1, day.3, ${uint64(version)}, ${join(prefixes.flatMap(elementsOf))}
    FROM (
      SELECT machine, day, day.1 AS day_ms
      FROM (SELECT arrayJoin(${array(uint32, machines)}) AS machine, arrayJoin(${tuplesOf(days)}) AS day)) AS listed
    LEFT JOIN (${byMachine('f', facts(hours, days))}) AS facts USING (machine, day_ms)
    LEFT JOIN (${byMachine('r', downtimeSums(hours, days), sql`arraySort(groupArrayArray(others)) AS x`)}) AS sums
      USING (machine, day_ms)
    LEFT JOIN (${byMachine('u', setups(hours, days))}) AS setups USING (machine, day_ms)`
}

type Days = readonly ShopDay[]

/** Start, date and end of each day. */
function tuplesOf(days: Days): Sql {
  const dates = array(
    date,
    days.map(({ shopDate }) => shopDate),
  )
  return sql`arrayZip(${starts(days)}, ${dates}, ${ends(days)})`
}

function starts(days: Days): Parameter {
  return array(
    int64,
    days.map(({ startMs }) => startMs),
  )
}

function ends(days: Days): Parameter {
  return array(
    int64,
    days.map(({ endMs }) => endMs),
  )
}

function columnsOf(prefix: Prefix): readonly Sql[] {
  return entries[prefix].map(name => ident(`${prefix}_${name}`))
}

/** Arrays of the entries' elements, parallel as they come from one array of tuples. */
function elementsOf(prefix: Prefix): readonly Sql[] {
  return entries[prefix].map((_, i) => sql`tupleElement(${ident(prefix)}, ${uint8(i + 1)})`)
}

function byMachine(prefix: Prefix, rows: Sql, ...more: readonly Sql[]): Sql {
  const tuple = join(entries[prefix].map(name => ident(name)))
  const columns = [sql`arraySort(groupArray((${tuple}))) AS ${ident(prefix)}`, ...more]
  return sql`
    SELECT machine, day_ms, ${join(columns)} FROM (${rows}) GROUP BY machine, day_ms`
}

function facts(hours: Sql, days: Days): Sql {
  const sums = factSums.map(name => sql`sum(${ident(`f_${name}`)}) AS ${ident(name)}`)
  return sql`
    SELECT machine, ${dayOf(sql`f_cell`, days)} AS day_ms, ${dimensionsOf('f')},
      min(${instant(sql`f_first`)}) - day_ms AS first, max(${instant(sql`f_last`)}) - day_ms AS last, ${join(sums)}
    FROM hours FINAL
    ARRAY JOIN f_cell, ${arraysOf('f')}, f_first, f_last, ${join(factSums.map(name => ident(`f_${name}`)))}
    WHERE ${hours} AND ${isInDays(sql`f_cell`, days)}
    GROUP BY machine, day_ms, ${dimensionNames}`
}

/** With the `others` among the records that begin in a tuple, or that go on in it from before: those of `x_`. */
function downtimeSums(hours: Sql, days: Days): Sql {
  const piece = sql`piece`
  const [at, till] = [ofPiece(piece, 'at'), ofPiece(piece, 'till')]
  const isWithin = sql`is_first AND empty(places)`
  return sql`
    SELECT machine, day_ms, ${join(dimensions.map(name => sql`${ofPiece(piece, name)} AS ${ident(name)}`))}, reason,
      sum(${till} - ${at}) AS ms, countIf(record = ${at}) AS records, countIf(record < day_ms AND ${at} = day_ms) AS carried,
      countIf(${isWithin}) AS within,
      arraySort(groupArrayIf(toUInt32(least(last_ms - record, ${int64(hourMs)})), ${isWithin})) AS lengths,
      groupArrayArrayIf(arrayMap(place -> (record, place.1, place.2, reason, last_ms - day_ms), places), is_first) AS others
    FROM (${downtimeRecords(hours, days)}) ARRAY JOIN pieces AS piece, arrayMap(i -> i = 1, arrayEnumerate(pieces)) AS is_first
    GROUP BY machine, day_ms, ${dimensionNames}, reason`
}

/** Records of downtime, as far as they lie in each day, with their pieces in order; and the places of those that don't lie within one. */
function downtimeRecords(hours: Sql, days: Days): Sql {
  const place = sql`(${ofPiece(sql`piece`, 'shift')}, ${ofPiece(sql`piece`, 'run')})`
  return sql`
      SELECT machine, day_ms, record, any(d_reason) AS reason,
        arraySort(groupArray((${join(pieceElements.map(name => ident(name)))}))) AS pieces,
        ${ofPiece(sql`pieces[-1]`, 'till')} AS last_ms, arrayDistinct(arrayMap(piece -> ${place}, pieces)) AS lies_in,
        record >= day_ms AND last_ms < transform(day_ms, ${starts(days)}, ${ends(days)}) AND length(lies_in) = 1 AS is_within,
        if(is_within, [], lies_in) AS places
      FROM (
        SELECT machine, ${dayOf(sql`d_cell`, days)} AS day_ms, ${dimensionsOf('d')}, d_reason, d_record AS record,
          ${instant(sql`d_start`)} AS at, ${instant(sql`d_end`)} AS till
        FROM hours FINAL ARRAY JOIN d_cell, ${arraysOf('d')}, d_start, d_end, d_reason, d_record
        WHERE ${hours} AND ${isInDays(sql`d_cell`, days)})
      GROUP BY machine, day_ms, record`
}

const pieceElements = ['at', 'till', ...dimensions] as const

function ofPiece(piece: Sql, name: (typeof pieceElements)[number]): Sql {
  return sql`tupleElement(${piece}, ${uint8(pieceElements.indexOf(name) + 1)})`
}

function setups(hours: Sql, days: Days): Sql {
  return sql`
    SELECT machine, ${dayOf(sql`u_at`, days)} AS day_ms, ${instant(sql`u_at`)} - day_ms AS at, ${dimensionsOf('u')}
    FROM hours FINAL ARRAY JOIN u_at, ${arraysOf('u')}
    WHERE ${hours} AND ${isInDays(sql`u_at`, days)}`
}

function arraysOf(prefix: 'f' | 'd' | 'u'): Sql {
  return join(dimensions.map(name => ident(`${prefix}_${name}`)))
}

function dimensionsOf(prefix: 'f' | 'd' | 'u'): Sql {
  return join(dimensions.map(name => sql`${ident(`${prefix}_${name}`)} AS ${ident(name)}`))
}

function hoursOf(company: number, machines: readonly number[], days: Days): Sql {
  const { startMs, endMs } = boundsOf(days)
  const [from, to] = [Math.floor(startMs / hourMs) * hourMs, Math.ceil(endMs / hourMs) * hourMs]
  return sql`company = ${uint32(company)} AND machine IN ${array(uint32, machines)} AND ${within(sql`slot`, from, to)}`
}

/** UTC ms of an offset in the row's hour. */
function instant(offset: Sql): Sql {
  return sql`(toInt64(toUnixTimestamp(slot)) * 1000 + ${offset})`
}

function isInDays(offset: Sql, days: Days): Sql {
  const { startMs, endMs } = boundsOf(days)
  return sql`${instant(offset)} >= ${int64(startMs)} AND ${instant(offset)} < ${int64(endMs)}`
}

/** Start of the day that holds an offset in the row's hour. */
function dayOf(offset: Sql, days: Days): Sql {
  return sql`roundDown(${instant(offset)}, ${starts(days)})`
}

function boundsOf(days: Days): { readonly startMs: number; readonly endMs: number } {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) throw new RangeError('No day to make documents of')
  return { startMs: first.startMs, endMs: last.endMs }
}
