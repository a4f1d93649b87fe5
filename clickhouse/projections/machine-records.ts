import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import {
  type MachineInstant,
  type MachineSpan,
  recordIntervalMs,
  type TimedRecords,
} from '../../schema/records/timed-records.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { rows, type Shape } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { arrayOf, empty, int64, join, literalInteger, type Sql, sql, str } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { identifier } from '../tables/table.ts'
import { position, readTimedRecords, type TimedKind, timedKinds } from './timed-records.ts'

type Reads = Pick<Store, 'queryColumns'>

/** How the records of a kind are read by span. */
interface SpanKind<S extends Shape, R> extends Pick<TimedKind<S, R>, 'table' | 'shape' | 'toRecord' | 'startOf'> {
  /** Compares records of a machine with equal start. */
  readonly compare: (a: R, b: R) => number
  readonly earlier: EarlierRecords<R>
  /** Whether records that start exactly at the end of a span belong to it. */
  readonly withEnd?: boolean
}

/** Records that start before a span and belong to it. */
type EarlierRecords<R> =
  /** The latest one that may be in force; the condition as SQL, and as a function. */
  | { readonly latest: Sql; readonly mayBeInForce: (record: R) => boolean; readonly order: Sql }
  /** The records that start less than this time before the span, ms. */
  | { readonly withinMs: number }

interface TimedRecord {
  readonly id: string
  readonly machineId: string
}

const byId = (a: TimedRecord, b: TimedRecord): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const jobRun = {
  ...timedKinds.jobRun,
  compare: (a: JobRunRecord, b: JobRunRecord) => a.startSequence - b.startSequence,
  // A run whose end equals its start was cancelled, so the run before it is in force.
  earlier: {
    latest: sql`ifNull(end_ms != start_ms, 1)`,
    mayBeInForce: (run: JobRunRecord) => run.endAt !== run.startAt,
    order: sql`start_ms DESC, start_sequence DESC`,
  },
  // Such a run ends the run before it within the span.
  withEnd: true,
} satisfies SpanKind<typeof timedKinds.jobRun.shape, JobRunRecord>

const annotation: SpanKind<typeof timedKinds.annotation.shape, AnnotationRecord> = {
  ...timedKinds.annotation,
  compare: byId,
  // Annotations do not overlap, so only the latest one may be in force.
  earlier: { latest: sql`1`, mayBeInForce: () => true, order: sql`start_ms DESC` },
}

/** Times before a span in which its latest earlier record is searched, one after the other. */
const searchedMs = [9 * recordIntervalMs, Infinity]
/** Maximum number of spans per query: each is a few hundred bytes of SQL. */
const spansPerQuery = 300

/**
 * Reads the records that determine the documents of machines in spans: those that start in a span, and those that
 * started earlier and may be in force when it begins, however old they are. Each span begins and ends at a multiple of
 * 30 days since 1970. `maxSignInMs`: maximum duration of a sign-in. Resolves to the records of each span, in the order
 * of the spans. Rejects with a `StoreError`.
 */
export async function readMachineRecords(
  store: Reads,
  companyId: string,
  spans: readonly MachineSpan[],
  maxSignInMs: number,
  options: QueryOptions,
): Promise<readonly TimedRecords[]> {
  const found: TimedRecords[] = []
  for (let first = 0; first < spans.length; first += spansPerQuery) {
    const some = spans.slice(first, first + spansPerQuery)
    const read = <S extends Shape, R extends TimedRecord>(kind: SpanKind<S, R>) =>
      new SpanReader(store, kind, companyId, options).read(some)
    const [jobRuns, operatorRuns, annotations, partAdjustments] = await Promise.all([
      read(jobRun),
      read({ ...timedKinds.operatorRun, compare: byId, earlier: { withinMs: maxSignInMs } }),
      read(annotation),
      read({ ...timedKinds.partAdjustment, compare: byId, earlier: { withinMs: 0 } }),
    ])
    for (const index of some.keys())
      found.push({
        jobRuns: jobRuns[index] ?? [],
        operatorRuns: operatorRuns[index] ?? [],
        annotations: annotations[index] ?? [],
        partAdjustments: partAdjustments[index] ?? [],
      })
  }
  return found
}

/**
 * Reads the job runs of each machine that start at an instant, the last effective one before it and the first effective
 * one after it, with further runs around it. Rejects with a `StoreError`.
 */
export async function readRunsAround(
  store: Reads,
  companyId: string,
  instants: readonly MachineInstant[],
  options: QueryOptions,
): Promise<readonly JobRunRecord[]> {
  const found: JobRunRecord[] = []
  for (let first = 0; first < instants.length; first += spansPerQuery) {
    const some = instants.slice(first, first + spansPerQuery)
    const spans = some.map(({ machineId, atMs }) => ({ machineId, ...blockOf(atMs) }))
    const read = await new SpanReader(store, jobRun, companyId, options).read(spans)
    for (const [index, { machineId, atMs }] of some.entries()) {
      const runs = read[index] ?? []
      for (const run of runs) found.push(run)
      if (runs.some(run => Date.parse(run.startAt) > atMs && jobRun.earlier.mayBeInForce(run))) continue
      const next = await readNextRun(store, companyId, machineId, atMs, options)
      if (next) found.push(next)
    }
  }
  return found
}

/** Reads the first effective run of a machine after an instant, UTC ms; null if there is none. */
export async function readNextRun(
  store: Reads,
  companyId: string,
  machineId: string,
  afterMs: number,
  options: QueryOptions,
): Promise<JobRunRecord | null> {
  const query = { companyId, machineIds: [machineId], fromMs: afterMs + 1, toMs: null, after: null, limit: 1 }
  const [next] = await readTimedRecords(store, timedKinds.jobRun, query, options)
  return next ?? null
}

function blockOf(atMs: number): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = Math.floor(atMs / recordIntervalMs) * recordIntervalMs
  return { fromMs, toMs: fromMs + recordIntervalMs }
}

/** A record with its start, UTC ms. */
interface Started<R> {
  readonly record: R
  readonly startMs: number
}

/** Reads the records of one kind. */
class SpanReader<S extends Shape, R extends TimedRecord> {
  readonly #store: Reads
  readonly #kind: SpanKind<S, R>
  readonly #companyId: string
  readonly #options: QueryOptions
  /** Records that were read, by machine and by id: spans of a machine may share records. */
  readonly #found = new Map<string, Map<string, Started<R>>>()

  constructor(store: Reads, kind: SpanKind<S, R>, companyId: string, options: QueryOptions) {
    this.#store = store
    this.#kind = kind
    this.#companyId = companyId
    this.#options = options
  }

  async read(spans: readonly MachineSpan[]): Promise<readonly (readonly R[])[]> {
    const { earlier } = this.#kind
    await this.#add(this.#selectSpans(spans))
    if ('latest' in earlier) await this.#addLatest(spans, earlier)
    const slice = new TimeSlice()
    const found: (readonly R[])[] = []
    for (const span of spans) {
      found.push(this.#sorted(span))
      if (slice.isOver) await slice.next()
    }
    return found
  }

  /**
   * Returns the query of records that start in the spans, and of those in the month before them that belong to a span.
   * It is one statement, because the rows of one machine take less time than a statement.
   */
  #selectSpans(spans: readonly MachineSpan[]): Sql {
    const { earlier, withEnd = false } = this.#kind
    const isInside = startsIn(spans, ({ fromMs, toMs }) => [fromMs, toMs - 1])
    const withinMs = 'withinMs' in earlier ? earlier.withinMs : 1
    const inMonths = startsIn(spans, ({ fromMs, toMs }) => [fromMs - withinMs, withEnd ? toMs : toMs - 1])
    const isBefore = startsIn(spans, ({ fromMs }) => [fromMs - 1, fromMs - 1])
    const isFirstOfMonth = sql`start_ms % ${literalInteger(recordIntervalMs)} = 0`
    if ('withinMs' in earlier) {
      const earliestMs = Math.min(...spans.map(({ fromMs }) => fromMs)) - withinMs
      return this.#select([inMonths, sql`start_ms >= ${int64(earliestMs)}`])
    }
    const belongs = sql`${isInside} OR (${isBefore} AND ${earlier.latest}) ${withEnd ? sql`OR ${isFirstOfMonth}` : empty}`
    return this.#select(
      [inMonths, belongs],
      sql`ORDER BY ${earlier.order} LIMIT 1 BY machine_id, ${month}, if(${isInside} ${withEnd ? sql`OR ${isFirstOfMonth}` : empty}, id, '')`,
    )
  }

  /** Reads the latest earlier records of spans whose month before has none. */
  async #addLatest(spans: readonly MachineSpan[], { latest, mayBeInForce, order }: LatestRecord<R>): Promise<void> {
    // Records before `readMs` may be those of another span, and not the latest ones.
    let readMs = recordIntervalMs
    const hasEarlier = ({ machineId, fromMs }: MachineSpan): boolean =>
      this.#of(machineId).some(
        ({ startMs, record }) => startMs < fromMs && startMs >= fromMs - readMs && mayBeInForce(record),
      )
    for (const withinMs of searchedMs) {
      const missing = spans.filter(span => !hasEarlier(span))
      for (const [fromMs, group] of groupBy(missing, span => span.fromMs)) {
        const where = [
          sql`start_ms < ${int64(fromMs)}`,
          ...(withinMs === Infinity ? [] : [sql`start_ms >= ${int64(fromMs - withinMs)}`]),
          sql`machine_id IN ${arrayOf(str, group, ({ machineId }) => machineId)}`,
          latest,
        ]
        await this.#add(this.#select(where, sql`ORDER BY ${order} LIMIT 1 BY machine_id`))
      }
      readMs = withinMs
    }
  }

  #select(where: readonly Sql[], tail: Sql = empty): Sql {
    const { table, shape } = this.#kind
    const columns = join(Object.keys({ ...position, ...shape }).map(identifier))
    return sql`SELECT ${columns} ${from(table, this.#companyId, { final: true, where: [...where, sql`deleted = 0`] })} ${tail}`
  }

  async #add(query: Sql): Promise<void> {
    const { shape, toRecord, startOf } = this.#kind
    const slice = new TimeSlice()
    const read = await rows(this.#store, query, { ...position, ...shape }, this.#options)
    for (const row of read) {
      const record = toRecord(row, this.#companyId)
      const ofMachine = getOrCreate(this.#found, record.machineId, () => new Map<string, Started<R>>())
      ofMachine.set(record.id, { record, startMs: Date.parse(startOf(record)) })
      if (slice.isOver) await slice.next()
    }
  }

  #of(machineId: string): Started<R>[] {
    return [...(this.#found.get(machineId)?.values() ?? [])]
  }

  /** Returns the records of a span in their order. */
  #sorted({ machineId, fromMs, toMs }: MachineSpan): readonly R[] {
    const { earlier, withEnd = false, compare } = this.#kind
    const records = this.#of(machineId).sort((a, b) => a.startMs - b.startMs || compare(a.record, b.record))
    const latest =
      'latest' in earlier
        ? records.findLast(({ startMs, record }) => startMs < fromMs && earlier.mayBeInForce(record))
        : undefined
    const afterMs = 'withinMs' in earlier && earlier.withinMs > 0 ? fromMs - earlier.withinMs : fromMs - 1
    const lastMs = withEnd ? toMs : toMs - 1
    return records
      .filter(each => each === latest || (each.startMs > afterMs && each.startMs <= lastMs))
      .map(({ record }) => record)
  }
}

type LatestRecord<R> = Extract<EarlierRecords<R>, { readonly latest: Sql }>

const month = sql`intDiv(start_ms, ${literalInteger(recordIntervalMs)})`

/** Condition: a record starts in one of the months of its machine that contain these instants, first and last. */
function startsIn(spans: readonly MachineSpan[], instants: (span: MachineSpan) => readonly [number, number]): Sql {
  const pairs = spans.flatMap(span => {
    const [first, last] = instants(span).map(atMs => Math.trunc(atMs / recordIntervalMs))
    return monthsOf(first ?? 0, last ?? 0).map(each => ({ month: each, machineId: span.machineId }))
  })
  const months = arrayOf(int64, pairs, each => each.month)
  const machines = arrayOf(str, pairs, ({ machineId }) => machineId)
  return sql`(${month}, machine_id) IN arrayZip(${months}, ${machines})`
}

function monthsOf(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
