import { fieldError, validationError } from '../../schema/errors.ts'
import { pageLimits, type PageQuery, type RangeQuery } from '../../schema/requests/page.ts'
import type { Call } from '../http/route.ts'
import { JsonList } from '../json/write-json.ts'
import type { JsonWriter } from '../json/json-writer.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { byText, firstIndex } from '../../processors/records/sorted-by-machine.ts'
import { mergeSorted } from '../../shared/collections/merge-sorted.ts'
import type { RecordsPort, StorePort } from '../ports/ports.ts'
import { readTimedRecords } from '../../clickhouse/projections/timed-records.ts'
import type { Shape } from '../../clickhouse/client/rows.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import { int64, type Sql, sql } from '../../clickhouse/sql/sql.ts'

interface PageLimits {
  readonly default: number
  readonly max: number
}

/**
 * Responds with one page of a sorted list: presents the first `limit` items one by one, at the speed of the caller. If
 * there are more, the header `Link` (RFC 8288) has the URL of the next page.
 */
export function answerPage<T extends { readonly id: string }, Answer>(
  items: Iterable<T>,
  present: (item: T) => Answer,
  path: string,
  call: Pick<Call<PageQuery>, 'query' | 'baseUrl' | 'setHeader'>,
  limits: PageLimits = pageLimits,
): JsonList<Answer> {
  const limit = pageSize(call.query, limits)
  const page: T[] = []
  for (const item of items) {
    if (page.length === limit) {
      linkNext(path, { ...call.query, after: page.at(-1)?.id ?? '' }, call)
      break
    }
    page.push(item)
  }
  // The items are read before the call returns, because lists of records are valid only until the next change.
  return new JsonList(into => writeItems(into, page, present))
}

/** Returns the maximum number of items of a page. */
function pageSize({ limit }: PageQuery, { default: usual, max }: PageLimits): number {
  return Math.min(limit ?? usual, max)
}

/** A complete sorted list, whose items are presented one by one, at the speed of the caller. */
export function answerAll<T, Answer>(items: readonly T[], present: (item: T) => Answer): JsonList<Answer> {
  return new JsonList(into => writeItems(into, items, present))
}

/** The error for an `after` that is not an id of the list: 400. */
export function unknownAfter(after: string): Error {
  return validationError([fieldError('after', 'InvalidDataItem', `Unknown id '${after}'`)])
}

function* writeItems<T>(into: JsonWriter, items: readonly T[], present: (item: T) => unknown): Generator<void> {
  let separator = ''
  for (const item of items) {
    into.text(separator + JSON.stringify(present(item)))
    separator = ','
    yield
  }
}

/** Sets the header `Link` to the next page: the address with this query, of which `after` is last. */
export function linkNext(
  path: string,
  { after, ...query }: { readonly after: string },
  { baseUrl, setHeader }: Pick<Call, 'baseUrl' | 'setHeader'>,
): void {
  const address = new URLSearchParams()
  for (const [name, value] of Object.entries<unknown>({ ...query, after }))
    for (const each of [value].flat())
      if (typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
        address.append(name, String(each))
  setHeader('Link', `<${baseUrl}${path}?${address.toString()}>; rel="next"`)
}

interface MachineRecordOf {
  readonly id: string
  readonly machineId: string
}

/** How records with a machine and a time are read. Instants are strings of one form that sort by time. */
export interface Timed<T extends MachineRecordOf> {
  /** Records of a machine, by instant, then in the order of `compare`. */
  readonly of: (machineId: string) => readonly T[]
  readonly find: (id: string) => T | null
  /** Instant of a record, or of its beginning. */
  readonly at: (record: T) => string
  /** Order of records; default: by instant, then id. */
  readonly compare?: (a: T, b: T) => number
  /** For records with a duration; missing: a record is an instant. */
  readonly lasting?: {
    /** A lower bound: no record of the machine that begins before it extends beyond `instant`. */
    readonly earliest: (machineId: string, instant: string) => string
    /** Whether a record that begins before the instant extends beyond it. */
    readonly reaches: (record: T, instant: string) => boolean
  }
}

/**
 * Records of these machines, or of all machines, that overlap the range, by instant, then id. A machine of another
 * company has none. Reads only as many records as the caller consumes. Throws 400 if the query is invalid.
 */
export function recordsInRange<T extends MachineRecordOf>(
  timed: Timed<T>,
  { records, companyId }: RecordsPort & { readonly companyId: string },
  machineIds: readonly string[] | undefined,
  query: RangeQuery,
): Iterable<T> {
  const [start, end] = rangeOf(query)
  const after = query.after === undefined ? null : timed.find(query.after)
  if (query.after !== undefined && !after) throw unknownAfter(query.after)
  const compare = timed.compare ?? ((a: T, b: T) => byText(timed.at(a), timed.at(b)) || byText(a.id, b.id))
  const ofMachine = function* (id: string): Generator<T> {
    const list = timed.of(id)
    const from = start === '' ? '' : (timed.lasting?.earliest(id, start) ?? start)
    let index = firstIndex(list, record => (after && compare(record, after) <= 0) || timed.at(record) < from)
    for (let record = list[index]; record && timed.at(record) < end; record = list[++index])
      if (timed.at(record) >= start || timed.lasting?.reaches(record, start) === true) yield record
  }
  const machines = machineIds?.flatMap(id => records.get('machine', companyId, id) ?? []) ?? records.machines(companyId)
  return mergeSorted(
    [...new Set(machines)].map(({ id }) => ofMachine(id)),
    compare,
  )
}

/** How a list reads records from the store. */
interface StoredList<S extends Shape, R> {
  readonly of: Parameters<typeof readTimedRecords<S, R>>[1]
  readonly find: (id: string, options: QueryOptions) => Promise<R | null>
  /** Instant of a record, or of its beginning. */
  readonly at: (record: R) => string
  /** For records with a duration. */
  readonly lasting?: {
    /** No record lasts longer, ms. */
    readonly maxMs: number
    /** Whether a record extends beyond an instant, UTC ms. */
    readonly reaches: (atMs: number) => Sql
  }
  readonly limits?: PageLimits
}

/**
 * Reads the records of these machines, or of all machines, that overlap the range, by instant, then id: those of a page
 * and the next one. A machine of another company has none. Rejects with 400 if the query is invalid, and with a
 * `StoreError`.
 */
export async function readPage<S extends Shape, R extends { readonly id: string }>(
  { of, find, at, lasting, limits = pageLimits }: StoredList<S, R>,
  { records, store, companyId }: RecordsPort & StorePort & { readonly companyId: string },
  machineIds: readonly string[] | undefined,
  { query, signal }: Pick<Call<RangeQuery>, 'query' | 'signal'>,
): Promise<readonly R[]> {
  const [start, end] = rangeOf(query)
  const last = query.after === undefined ? null : await find(query.after, { signal })
  if (query.after !== undefined && !last) throw unknownAfter(query.after)
  const known = machineIds?.flatMap(id => records.get('machine', companyId, id)?.id ?? []) ?? null
  if (known?.length === 0) return []
  const startMs = start === '' ? null : Date.parse(start)
  const fromMs = startMs === null || !lasting ? startMs : Math.max(0, startMs - lasting.maxMs)
  const reaches = startMs !== null && lasting ? lasting.reaches(startMs) : null
  return readTimedRecords(
    store,
    of,
    {
      companyId,
      machineIds: known,
      fromMs,
      toMs: end === '~' ? null : Date.parse(end),
      ...(reaches && startMs !== null && { where: sql`start_ms >= ${int64(startMs)} OR ${reaches}` }),
      after: last && { atMs: Date.parse(at(last)), id: last.id },
      limit: pageSize(query, limits) + 1,
    },
    { signal },
  )
}

/** Parses the range of a query. Open ends become strings that sort before and after every instant. */
function rangeOf(query: RangeQuery): readonly [start: string, end: string] {
  const start = query.start === undefined ? '' : toInstant(query.start)
  const end = query.end === undefined ? '~' : toInstant(query.end)
  if (start >= end) throw validationError([fieldError('start', 'InvalidRange', 'start must be before end')])
  return [start, end]
}
