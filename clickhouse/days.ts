import type { DayStore, ShopDay, StoredCoverage } from '../processors/runtime/ports.ts'
import { hourMs } from '../schema/document.ts'
import { array, date, ident, int64, join, sql, uint32, uint64 } from './sql.ts'
import type { Sql } from './sql.ts'
import type { QueryOptions, Store } from './store.ts'
import { within } from './time-bounds.ts'

/** The part of the processor's port that is about day documents. Rejects with `StoreError`. */
export function createDayStore(store: Store): DayStore {
  return {
    async buildDays(company, machines, day, version) {
      if (machines.length === 0) return
      // Not in the lane of inserts: samples would wait behind it.
      await store.command(dayDocuments(company, machines, day, version), { lane: 'process' })
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
] as const

/** A partition's own word of each company, and the days that it covers by it. */
function storedCoverage(partition: number, companies: readonly number[]): Sql {
  const ofThese = sql`partition = ${uint32(partition)} AND company IN ${array(uint32, companies)}`
  return sql`
    SELECT company, start_ms, end_ms, partitions, toString(epoch) FROM day_coverage FINAL
    WHERE ${ofThese} AND covered = 1 AND (company, epoch) IN (
      SELECT company, epoch FROM day_coverage FINAL WHERE ${ofThese} AND start_ms = 0 AND end_ms = 0)
    ORDER BY company, start_ms`
}

const dimensions = ['shift', 'run', 'ops', 'mode', 'scheduled', 'nonoptional'] as const
const factSums = ['ms', 'cycle', 'spindle', 'cut', 'parts', 'adjusted', 'scrap', 'nonconform'] as const

/** Columns of `days` by prefix: the elements of each entry's tuple, in this order. */
const entries = {
  f: [...dimensions, 'first', 'last', ...factSums],
  r: [...dimensions, 'reason', 'ms'],
  d: ['start', 'end', ...dimensions, 'reason', 'record'],
  u: ['at', ...dimensions],
} as const
type Prefix = keyof typeof entries

/**
 * Makes the day documents of these machines from their hours, one row each, also where a machine has no hours there. What of an
 * hour lies in the day is told by its cells: they are cut where days begin.
 */
function dayDocuments(company: number, machines: readonly number[], day: ShopDay, version: bigint): Sql {
  const prefixes = ['f', 'r', 'd', 'u'] as const
  return sql`
    INSERT INTO days (company, machine, shop_date, start_ms, end_ms, ver, ${join(prefixes.flatMap(columnsOf))})
    SELECT ${uint32(company)}, machine, ${date(day.shopDate)}, ${int64(day.startMs)}, ${int64(day.endMs)}, ${uint64(version)},
      ${join(prefixes.flatMap(elementsOf))}
    FROM (SELECT arrayJoin(${array(uint32, machines)}) AS machine) AS listed
    LEFT JOIN (${byMachine('f', facts(company, machines, day))}) AS facts USING machine
    LEFT JOIN (${byMachine('r', downtimeSums(company, machines, day))}) AS sums USING machine
    LEFT JOIN (${byMachine('d', downtimePieces(company, machines, day))}) AS pieces USING machine
    LEFT JOIN (${byMachine('u', setups(company, machines, day))}) AS setups USING machine`
}

function columnsOf(prefix: Prefix): readonly Sql[] {
  return entries[prefix].map(name => ident(`${prefix}_${name}`))
}

/** Arrays of the entries' elements, parallel as they come from one array of tuples. */
function elementsOf(prefix: Prefix): readonly Sql[] {
  return entries[prefix].map((_, i) => sql`tupleElement(${ident(prefix)}, ${uint32(i + 1)})`)
}

function byMachine(prefix: Prefix, rows: Sql): Sql {
  const tuple = join(entries[prefix].map(name => ident(name)))
  return sql`SELECT machine, arraySort(groupArray((${tuple}))) AS ${ident(prefix)} FROM (${rows}) GROUP BY machine`
}

function facts(company: number, machines: readonly number[], day: ShopDay): Sql {
  const sums = factSums.map(name => sql`sum(${ident(`f_${name}`)}) AS ${ident(name)}`)
  return sql`
    SELECT machine, ${dimensionsOf('f')}, min(${offset(sql`f_first`, day)}) AS first, max(${offset(sql`f_last`, day)}) AS last,
      ${join(sums)}
    FROM hours FINAL
    ARRAY JOIN f_cell, ${arraysOf('f')}, f_first, f_last, ${join(factSums.map(name => ident(`f_${name}`)))}
    WHERE ${hoursOf(company, machines, day)} AND ${isInDay(sql`f_cell`, day)}
    GROUP BY machine, ${join(dimensions.map(name => ident(name)))}`
}

function downtimeSums(company: number, machines: readonly number[], day: ShopDay): Sql {
  return sql`
    SELECT machine, ${dimensionsOf('d')}, d_reason AS reason, sum(d_end - d_start) AS ms
    FROM hours FINAL ARRAY JOIN d_cell, ${arraysOf('d')}, d_start, d_end, d_reason
    WHERE ${hoursOf(company, machines, day)} AND ${isInDay(sql`d_cell`, day)}
    GROUP BY machine, ${join(dimensions.map(name => ident(name)))}, reason`
}

/** Pieces of one record that touch are one: what begins where another ends doesn't begin, what ends where another begins doesn't end. */
function downtimePieces(company: number, machines: readonly number[], day: ShopDay): Sql {
  return sql`
    SELECT machine, piece.1 AS start, piece.2 AS end, ${join(dimensions.map(name => ident(name)))}, reason, record
    FROM (
      SELECT machine, ${dimensionsOf('d')}, d_reason AS reason, d_record AS record,
        groupArray(${offset(sql`d_start`, day)}) AS starts, groupArray(${offset(sql`d_end`, day)}) AS ends
      FROM hours FINAL ARRAY JOIN d_cell, ${arraysOf('d')}, d_start, d_end, d_reason, d_record
      WHERE ${hoursOf(company, machines, day)} AND ${isInDay(sql`d_cell`, day)}
      GROUP BY machine, ${join(dimensions.map(name => ident(name)))}, reason, record)
    ARRAY JOIN arrayZip(
      arraySort(arrayFilter(at -> NOT has(ends, at), starts)),
      arraySort(arrayFilter(at -> NOT has(starts, at), ends))) AS piece`
}

function setups(company: number, machines: readonly number[], day: ShopDay): Sql {
  return sql`
    SELECT machine, ${offset(sql`u_at`, day)} AS at, ${dimensionsOf('u')}
    FROM hours FINAL ARRAY JOIN u_at, ${arraysOf('u')}
    WHERE ${hoursOf(company, machines, day)} AND ${isInDay(sql`u_at`, day)}`
}

function arraysOf(prefix: 'f' | 'd' | 'u'): Sql {
  return join(dimensions.map(name => ident(`${prefix}_${name}`)))
}

function dimensionsOf(prefix: 'f' | 'd' | 'u'): Sql {
  return join(dimensions.map(name => sql`${ident(`${prefix}_${name}`)} AS ${ident(name)}`))
}

function hoursOf(company: number, machines: readonly number[], { startMs, endMs }: ShopDay): Sql {
  const [from, to] = [Math.floor(startMs / hourMs) * hourMs, Math.ceil(endMs / hourMs) * hourMs]
  return sql`company = ${uint32(company)} AND machine IN ${array(uint32, machines)} AND ${within(sql`slot`, from, to)}`
}

const slotMs = sql`toInt64(toUnixTimestamp(slot)) * 1000`

function isInDay(at: Sql, { startMs, endMs }: ShopDay): Sql {
  return sql`${slotMs} + ${at} >= ${int64(startMs)} AND ${slotMs} + ${at} < ${int64(endMs)}`
}

/** ms from the start of the day. */
function offset(at: Sql, { startMs }: ShopDay): Sql {
  return sql`toUInt32(${slotMs} + ${at} - ${int64(startMs)})`
}
