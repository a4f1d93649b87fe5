import { modes, statuses } from '../../schema/document.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Dimensions, Segment } from '../../schema/document.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import { documentColumns, levels, noEndMs } from './document-rows.ts'
import { array, second, sql, uint32 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'

/** Segments of one machine's hour; offsets are ms from `slotMs`. */
export interface HourSegments {
  readonly machine: number
  readonly slotMs: number
  readonly segments: readonly Segment[]
}

/** The whole document of one hour, put together from its tables; null where there is none. */
export async function readDocument(
  store: Store,
  company: number,
  machine: number,
  slotMs: number,
): Promise<VersionedDocument | null> {
  const where = sql`WHERE company = ${uint32(company)} AND machine = ${uint32(machine)} AND slot = ${second(slotMs)}`
  const one = (table: Sql) => store.query<ArrayRow>(sql`SELECT * FROM ${table} FINAL ${where}`, smallNumbers)
  const [hour] = await store.query<ArrayRow>(
    sql`SELECT *, toString(ver) AS version, toString(hash_in) AS hashIn, toString(hash_out) AS hashOut FROM hours FINAL ${where}`,
    smallNumbers,
  )
  const [[states], [parts]] = await Promise.all([one(sql`cycle_states`), one(sql`part_states`)])
  if (!hour || !states || !parts) return null
  return {
    company,
    machine,
    slotMs,
    version: BigInt(String(hour['version'])),
    hashIn: String(hour['hashIn']),
    hashOut: String(hour['hashOut']),
    stateOut: String(states['state_out']),
    facts: items(hour, 'f', row => ({
      cell: row.int('cell'),
      first: row.int('first'),
      last: row.int('last'),
      durationMs: row.int('ms'),
      inCycleMs: row.int('cycle'),
      spindleMs: row.int('spindle'),
      cutMs: row.int('cut'),
      parts: row.int('parts'),
      adjusted: row.int('adjusted'),
      scrap: row.int('scrap'),
      nonconform: row.int('nonconform'),
      ...dimensions(row),
    })),
    downtimes: items(hour, 'd', row => ({
      cell: row.int('cell'),
      start: row.int('start'),
      end: row.int('end'),
      reason: row.int('reason'),
      recordStartMs: row.int('record'),
      ...dimensions(row),
    })),
    alarms: items(hour, 'a', row => ({
      key: row.text('key'),
      nativeCode: row.text('code'),
      message: row.text('message'),
      level: levels[row.int('level')] === 'FAULT' ? 'FAULT' : 'WARNING',
      startMs: row.int('start'),
      endMs: row.int('end') === noEndMs ? null : row.int('end'),
    })),
    setups: items(hour, 'u', row => ({ at: row.int('at'), ...dimensions(row) })),
    segments: items(states, 's', segment),
    parts: items(parts, 'p', row => ({
      cell: row.int('cell'),
      at: row.int('at'),
      parts: row.int('parts'),
      ...dimensions(row),
    })),
    adjustments: items(parts, 'q', row => ({
      cell: row.int('cell'),
      at: row.int('at'),
      count: row.int('count'),
      scrap: row.int('scrap'),
      nonconform: row.int('nonconform'),
      type: row.int('type'),
      ...dimensions(row),
    })),
  }
}

/** Segments of every stored hour that overlaps [fromMs, toMs), by machine and hour. */
export async function readSegments(
  store: Store,
  company: number,
  machines: readonly number[],
  fromMs: number,
  toMs: number,
): Promise<readonly HourSegments[]> {
  const rows = await store.query<ArrayRow>(
    sql`SELECT machine, toUnixTimestamp(slot) AS at, * EXCEPT (machine, company, ver, state_out) FROM cycle_states FINAL
      WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}
        AND slot >= ${second(Math.floor(fromMs / hourMs) * hourMs)} AND slot < ${second(Math.ceil(toMs / hourMs) * hourMs)}
      ORDER BY machine, slot`,
    smallNumbers,
  )
  return rows.map(row => ({
    machine: Number(row['machine']),
    slotMs: Number(row['at']) * 1000,
    segments: items(row, 's', segment),
  }))
}

type ArrayRow = Readonly<Record<string, unknown>>

/** Int64 columns here stay below 2^53. */
const smallNumbers: QueryOptions = { settings: { output_format_json_quote_64bit_integers: 0 } }

/** One entry of the parallel arrays of a prefix. */
interface Entry {
  int(name: string): number
  text(name: string): string
  ints(name: string): readonly number[]
}

function items<Item>(row: ArrayRow, prefix: string, make: (entry: Entry) => Item): readonly Item[] {
  const column = (name: string) => list(row[`${prefix}_${name}`])
  const first = documentColumns.find(name => name.startsWith(`${prefix}_`)) ?? ''
  return list(row[first]).map((_, i) =>
    make({
      int: name => Number(column(name)[i]),
      text: name => String(column(name)[i]),
      ints: name => list(column(name)[i]).map(Number),
    }),
  )
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function dimensions(row: Entry): Dimensions {
  return {
    shift: row.int('shift'),
    run: row.int('run'),
    operators: row.ints('ops'),
    mode: modes[row.int('mode')] ?? 'none',
    scheduled: row.int('scheduled') === 1,
    nonOptional: row.int('nonoptional') === 1,
  }
}

function segment(row: Entry): Segment {
  return {
    cell: row.int('cell'),
    start: row.int('start'),
    end: row.int('end'),
    status: statuses[row.int('status')] ?? 'UNAVAILABLE',
    inCycle: row.int('cycle') === 1,
    spindle: row.int('spindle') === 1,
    cut: row.int('cut') === 1,
    reason: row.int('down') === 1 ? row.int('reason') : null,
    ...dimensions(row),
  }
}
