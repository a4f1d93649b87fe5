import { type MachineSpan, recordIntervalMs } from '../../schema/records/timed-records.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { wide } from '../client/kinds.ts'
import { rows, type Shape } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { arrayOf, empty, int64, join, type Sql, sql, str } from '../sql/sql.ts'
import { allOf, from, whereAll } from '../tables/from.ts'
import { identifier } from '../tables/table.ts'
import { month } from './start-conditions.ts'
import { position, type TimedKind } from './timed-records.ts'

/** How the records of a kind are read by span. */
export interface SpanKind<S extends Shape, R> extends Pick<
  TimedKind<S, R>,
  'table' | 'shape' | 'toRecord' | 'startOf'
> {
  /** Compares records of a machine with equal start. */
  readonly compare: (a: R, b: R) => number
  readonly earlier: EarlierRecords
  /** Whether records that start exactly at the end of a span belong to it. */
  readonly withEnd?: boolean
}

/** Records that start before a span and belong to it. */
type EarlierRecords =
  /** The latest one that may be in force at the start of a span. `reaches`: whether it extends beyond an instant, UTC ms. */
  | { readonly mayBeInForce: Sql; readonly latestFirst: Sql; readonly reaches?: (atMs: Sql) => Sql }
  /** The records that start less than this time before the span, ms. */
  | { readonly withinMs: number }

export interface TimedRecord {
  readonly id: string
  readonly machineId: string
}

/** Time before a span in which its latest earlier record is searched first, ms. */
export const searchedMs = recordIntervalMs

/** A record of a span with its start, UTC ms. */
interface Started<R> {
  readonly record: R
  readonly startMs: number
}

/** Reads the records of one kind that belong to spans of machines. */
export class SpanReader<S extends Shape, R extends TimedRecord> {
  readonly #store: StoreReads
  readonly #kind: SpanKind<S, R>
  readonly #companyId: string
  readonly #options: QueryOptions

  constructor(store: StoreReads, kind: SpanKind<S, R>, companyId: string, options: QueryOptions) {
    this.#store = store
    this.#kind = kind
    this.#companyId = companyId
    this.#options = options
  }

  async read(spans: readonly MachineSpan[]): Promise<readonly (readonly R[])[]> {
    const { earlier, withEnd = false, compare } = this.#kind
    const withinMs = 'withinMs' in earlier ? Math.max(1, earlier.withinMs) - 1 : searchedMs
    const found = await this.#select(spans, withinMs, withEnd)
    if ('latestFirst' in earlier) await this.#addLatest(spans, found)
    return found.map(records =>
      records.sort((a, b) => a.startMs - b.startMs || compare(a.record, b.record)).map(({ record }) => record),
    )
  }

  /** Adds the latest earlier records of spans that have none. */
  async #addLatest(spans: readonly MachineSpan[], found: readonly Started<R>[][]): Promise<void> {
    const missing = [...spans.entries()].filter(([index, { fromMs }]) =>
      (found[index] ?? []).every(({ startMs }) => startMs >= fromMs),
    )
    if (missing.length === 0) return
    const before = missing.map(([, { machineId, fromMs }]) => ({ machineId, fromMs, toMs: fromMs }))
    const latest = await this.#select(before, Infinity, false)
    for (const [at, [index]] of missing.entries()) found[index]?.push(...(latest[at] ?? []))
  }

  /**
   * Reads the records of each span, with the earlier ones that start up to `withinMs` before it. It is one statement,
   * because the rows of a machine take less time than a statement.
   */
  async #select(spans: readonly MachineSpan[], withinMs: number, withEnd: boolean): Promise<Started<R>[][]> {
    const { shape, toRecord, startOf } = this.#kind
    const query = this.#query(spans, withinMs, withEnd)
    const indexes = indexesBySpan(spans)
    const found: Started<R>[][] = spans.map(() => [])
    const slice = new TimeSlice()
    for (const row of await rows(this.#store, query, { ...position, ...shape, span: wide }, this.#options)) {
      const record = toRecord(row, this.#companyId)
      const started = { record, startMs: Date.parse(startOf(record)) }
      for (const index of indexes(record.machineId, row.span)) found[index]?.push(started)
      if (slice.isOver) await slice.next()
    }
    return found
  }

  #query(spans: readonly MachineSpan[], withinMs: number, withEnd: boolean): Sql {
    const { table, shape, earlier } = this.#kind
    const columns = join(Object.keys({ ...position, ...shape }).map(identifier))
    const { fromMs, toMs, span } = boundsOf(spans)
    const isBefore = sql`start_ms ${withEnd ? sql`<=` : sql`<`} ${toMs}`
    // Old records are many, and few of them reach the span.
    const reaches = (atMs: Sql) => ('reaches' in earlier && earlier.reaches ? [earlier.reaches(atMs)] : [])
    const isOld = withinMs === Infinity
    const isNear = isOld ? reaches(fromMs) : [sql`start_ms >= ${fromMs} - ${int64(withinMs)}`]
    const isInside = sql`start_ms >= ${fromMs}`
    const belongs =
      'withinMs' in earlier
        ? [isBefore, ...isNear]
        : isOld
          ? [isBefore, ...isNear, earlier.mayBeInForce]
          : [isBefore, sql`${isInside} OR ${allOf([...isNear, earlier.mayBeInForce])}`]
    const latest =
      'withinMs' in earlier
        ? empty
        : sql`ORDER BY ${earlier.latestFirst} LIMIT 1 BY machine_id, ${span}, if(${isInside}, id, '')`
    const read = (where: readonly Sql[]) =>
      from(table, this.#companyId, { final: true, where: [...startsNear(spans, withinMs), sql`deleted = 0`, ...where] })
    // A subquery takes 5 ms of CPU, and a join as much again.
    if (haveSameBounds(spans)) return sql`SELECT ${columns}, ${span} AS span ${read(belongs)} ${latest}`
    const firstMs = sql`${int64(Math.min(...spans.map(each => each.fromMs)))}`
    const records = sql`SELECT ${columns} ${read(isOld ? reaches(firstMs) : [])}`
    return sql`SELECT ${columns}, ${span} FROM (${withSpans(records, spans)}) ${whereAll(belongs)} ${latest}`
  }
}

/** Returns whether all spans have the same bounds: then the query needs no join with them. */
function haveSameBounds(spans: readonly MachineSpan[]): boolean {
  const [first] = spans
  return spans.every(({ fromMs, toMs }) => fromMs === first?.fromMs && toMs === first.toMs)
}

/** Conditions that contain the starts of the records of all spans, by which the store selects granules. */
function startsNear(spans: readonly MachineSpan[], withinMs: number): readonly Sql[] {
  const firstMs = Math.min(...spans.map(({ fromMs }) => fromMs)) - withinMs
  const lastMs = Math.max(...spans.map(({ toMs }) => toMs))
  const bounds = [
    sql`start_ms <= ${int64(lastMs)}`,
    ...(withinMs === Infinity ? [] : [sql`start_ms >= ${int64(firstMs)}`]),
  ]
  if (withinMs === Infinity) return [...bounds, sql`machine_id IN ${arrayOf(str, spans, ({ machineId }) => machineId)}`]
  const months = spans.flatMap(({ machineId, fromMs, toMs }) =>
    monthsOf(fromMs - withinMs, toMs).map(month => ({ month, machineId })),
  )
  const pairs = sql`arrayZip(${arrayOf(int64, months, each => each.month)}, ${arrayOf(str, months, each => each.machineId)})`
  return [...bounds, sql`(${month}, machine_id) IN ${pairs}`]
}

function monthsOf(fromMs: number, toMs: number): readonly number[] {
  const [first, last] = [fromMs, toMs].map(atMs => Math.trunc(atMs / recordIntervalMs))
  return Array.from({ length: (last ?? 0) - (first ?? 0) + 1 }, (_, index) => (first ?? 0) + index)
}

/** Bounds of the span of a record as SQL, and its index: 0 if all have the same bounds. */
function boundsOf(spans: readonly MachineSpan[]): { readonly fromMs: Sql; readonly toMs: Sql; readonly span: Sql } {
  const [first] = spans
  if (!first || !haveSameBounds(spans)) return { fromMs: sql`from_ms`, toMs: sql`to_ms`, span: sql`span` }
  return { fromMs: sql`${int64(first.fromMs)}`, toMs: sql`${int64(first.toMs)}`, span: sql`toInt64(0)` }
}

/** Joins records with the spans of their machines: adds their bounds `from_ms` and `to_ms`, and their index `span`. */
function withSpans(records: Sql, spans: readonly MachineSpan[]): Sql {
  const columns = join([
    sql`${arrayOf(int64, [...spans.keys()], index => index)}`,
    sql`${arrayOf(str, spans, ({ machineId }) => machineId)}`,
    sql`${arrayOf(int64, spans, ({ fromMs }) => fromMs)}`,
    sql`${arrayOf(int64, spans, ({ toMs }) => toMs)}`,
  ])
  return sql`
    SELECT * FROM (${records}) AS record INNER JOIN (
      SELECT each.1 AS span, each.2 AS machine, each.3 AS from_ms, each.4 AS to_ms
      FROM (SELECT arrayJoin(arrayZip(${columns})) AS each)
    ) AS spans ON record.machine_id = spans.machine`
}

/** Returns a function that returns the indexes of the spans of a row by its machine and its column `span`. */
function indexesBySpan(spans: readonly MachineSpan[]): (machineId: string, span: unknown) => readonly number[] {
  if (!haveSameBounds(spans)) return (_, span) => (typeof span === 'number' ? [span] : [])
  const byMachine = groupBy([...spans.keys()], index => spans[index]?.machineId)
  return machineId => byMachine.get(machineId) ?? []
}
