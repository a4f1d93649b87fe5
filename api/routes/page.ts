import { fieldError, validationError } from '../../schema/errors.ts'
import { pageLimits, type PageQuery, type RangeQuery } from '../../schema/requests/page.ts'
import type { Call } from '../http/route.ts'
import { JsonList } from '../json/write-json.ts'
import type { JsonWriter } from '../json/json-writer.ts'
import { toInstant } from '../../shared/time/instant.ts'
import type { RecordsPort, StorePort } from '../ports/ports.ts'
import {
  allConditions,
  readTimedRecords,
  type TimedConditions,
  type TimedQuery,
} from '../../clickhouse/projections/timed-records.ts'
import type { Shape } from '../../clickhouse/client/rows.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'

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
  return new JsonList(into => writeItems(into, page, present))
}

/** Returns the maximum number of items of a page. */
export function pageSize({ limit }: PageQuery, { default: usual, max }: PageLimits = pageLimits): number {
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

/** How a list reads records from the store. */
interface StoredList<S extends Shape, R> {
  readonly of: Parameters<typeof readTimedRecords<S, R>>[1]
  readonly find: (id: string, options: QueryOptions) => Promise<R | null>
  /** For records with a duration. */
  readonly lasting?: {
    /** No record lasts longer, ms; missing: there is no maximum. */
    readonly maxMs?: number
    /** Whether a record extends beyond an instant, UTC ms. */
    readonly reaches: (atMs: number) => TimedConditions
  }
  /** Conditions on all records of the list. */
  readonly where?: TimedConditions
  /** See `TimedQuery`. */
  readonly firstLengthMs?: number
  readonly limits?: PageLimits
}

/**
 * Reads the records of these machines, or of all machines, that overlap the range, by start: those of a page and the
 * next one. A machine of another company has none. Rejects with 400 if the query is invalid, and with a `StoreError`.
 */
export async function readPage<S extends Shape, R extends { readonly id: string }>(
  { of, find, lasting, where = {}, firstLengthMs, limits = pageLimits }: StoredList<S, R>,
  { records, store, companyId }: RecordsPort & StorePort & { readonly companyId: string },
  machineIds: readonly string[] | undefined,
  { query, signal }: Pick<Call<RangeQuery>, 'query' | 'signal'>,
): Promise<readonly R[]> {
  const [start, end] = rangeOf(query)
  const after = query.after === undefined ? null : await find(query.after, { signal })
  if (query.after !== undefined && !after) throw unknownAfter(query.after)
  const known = machineIds?.flatMap(id => records.get('machine', companyId, id)?.id ?? []) ?? null
  if (known?.length === 0) return []
  const startMs = start === '' ? null : Date.parse(start)
  const toMs = end === '~' ? null : Date.parse(end)
  const limit = pageSize(query, limits) + 1
  const page = { companyId, machineIds: known, after, limit }
  const read = (part: Pick<TimedQuery<R>, 'fromMs' | 'toMs' | 'where' | 'firstLengthMs'>) =>
    readTimedRecords(store, of, { ...page, ...part }, { signal })
  const begun = read({ fromMs: startMs, toMs, where, ...(firstLengthMs !== undefined && { firstLengthMs }) })
  if (startMs === null || !lasting || (after && of.startOf(after) >= start)) return begun
  const fromMs = lasting.maxMs === undefined ? null : Math.max(0, startMs - lasting.maxMs)
  const reaching = allConditions(where, lasting.reaches(startMs))
  const earlier = read({ fromMs, toMs: startMs, where: reaching, firstLengthMs: Infinity })
  return (await Promise.all([earlier, begun])).flat().slice(0, limit)
}

/** Parses the range of a query. Open ends become strings that sort before and after every instant. */
function rangeOf(query: RangeQuery): readonly [start: string, end: string] {
  const start = query.start === undefined ? '' : toInstant(query.start)
  const end = query.end === undefined ? '~' : toInstant(query.end)
  if (start >= end) throw validationError([fieldError('start', 'InvalidRange', 'start must be before end')])
  return [start, end]
}
