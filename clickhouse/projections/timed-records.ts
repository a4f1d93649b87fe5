import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RejectBehavior } from '../../schema/records/part-adjustment-type.ts'
import { recordIntervalMs } from '../../schema/records/timed-records.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { instantText } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import { flag, type Kind, narrow, nullOr, storedText, wide } from '../client/kinds.ts'
import { firstRow, type RowOf, rows, type Shape } from '../client/rows.ts'
import type { QueryOptions, QuerySettings, StoreReads } from '../client/store.ts'
import { array, empty, int64, join, type Parameter, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from, fromAll, whereAll } from '../tables/from.ts'
import { month, startsIn } from './start-conditions.ts'
import {
  annotationsByMachine,
  machineRuns,
  operatorRunsByMachine,
  partAdjustmentsByMachine,
} from '../tables/record-kinds.ts'
import { identifier } from '../tables/table.ts'

/** How a kind of records with a time is read from its table. */
export interface TimedKind<S extends Shape, R> {
  readonly table: TimedTable
  /** Columns besides machine, start and id. */
  readonly shape: S
  readonly toRecord: (row: RowOf<typeof position & S>, companyId: string) => R
  readonly startOf: (record: R) => string
  /** Order of records: by start, then by this column, whose value of a record is `tieOf`. */
  readonly tie: Sql
  readonly tieOf: (record: R) => Parameter
  /** FROM clause of the records that count among the rows that match; default: all of them. */
  readonly counted?: (companyId: string, where: readonly Sql[]) => Sql
}

type TimedTable =
  typeof annotationsByMachine | typeof operatorRunsByMachine | typeof partAdjustmentsByMachine | typeof machineRuns

/** Columns of every kind. */
export const position = { machine_id: storedText, start_ms: wide, id: storedText } as const

const behaviors = { '': null, scrap: 'scrap', nonconform: 'nonconform' } as const
const behavior: Kind<RejectBehavior | null> = {
  accepts: storedText.accepts,
  read: value => {
    if (value === '' || value === 'scrap' || value === 'nonconform') return behaviors[value]
    throw new TypeError(`Invalid reject behavior: ${String(value)}`)
  },
}

const annotationShape = { end_ms: nullOr(wide), reason: narrow, note: storedText, ends_with_stop: flag } as const
const operatorRunShape = { operator_id: storedText, end_ms: nullOr(wide) } as const
const adjustmentShape = {
  category: nullOr(wide),
  parts: narrow,
  scrap: narrow,
  reject_behavior: behavior,
  message: storedText,
} as const
const jobRunShape = {
  start_sequence: narrow,
  run: narrow,
  end_ms: nullOr(wide),
  production_ms: nullOr(wide),
  in_setup: flag,
  operation_id: storedText,
} as const

const byId = { tie: sql`id`, tieOf: ({ id }: { readonly id: string }) => str(id) } as const
const byStart = { ...byId, startOf: ({ startAt }: { readonly startAt: string }) => startAt } as const

/** Readers of the kinds of records with a time. Of job runs, only those that count are read (`effectiveRuns`). */
export const timedKinds = {
  annotation: {
    ...byStart,
    table: annotationsByMachine,
    shape: annotationShape,
    toRecord: ({ id, machine_id: machineId, reason: reasonId, note, ...row }, companyId) => ({
      id,
      companyId,
      machineId,
      reasonId,
      startAt: instantText(row.start_ms),
      endAt: textOrNull(row.end_ms),
      note,
      ...(row.ends_with_stop && { endsWithStop: true }),
    }),
  } satisfies TimedKind<typeof annotationShape, AnnotationRecord>,
  operatorRun: {
    ...byStart,
    table: operatorRunsByMachine,
    shape: operatorRunShape,
    toRecord: (
      { id, machine_id: machineId, operator_id: operatorId, start_ms: startMs, end_ms: endMs },
      companyId,
    ) => ({
      id,
      companyId,
      machineId,
      operatorId,
      startAt: instantText(startMs),
      endAt: textOrNull(endMs),
    }),
  } satisfies TimedKind<typeof operatorRunShape, OperatorRunRecord>,
  partAdjustment: {
    ...byId,
    startOf: ({ adjustmentTime }) => adjustmentTime,
    table: partAdjustmentsByMachine,
    shape: adjustmentShape,
    toRecord: ({ id, machine_id: machineId, start_ms: atMs, category, parts, scrap, ...row }, companyId) => ({
      id,
      companyId,
      machineId,
      adjustmentTime: instantText(atMs),
      categoryId: category,
      message: row.message,
      scrapCount: scrap,
      count: parts,
      rejectBehavior: row.reject_behavior,
    }),
  } satisfies TimedKind<typeof adjustmentShape, PartAdjustmentRecord>,
  jobRun: {
    ...byStart,
    tie: sql`start_sequence`,
    tieOf: ({ startSequence }) => uint32(startSequence),
    table: machineRuns,
    shape: jobRunShape,
    counted: (companyId, where) => sql`
      FROM (
        SELECT * ${from(machineRuns, companyId, { final: true, where: [...where, sql`NOT ifNull(end_ms = start_ms, 0)`] })}
        ORDER BY start_ms, start_sequence DESC LIMIT 1 BY machine_id, start_ms
      )`,
    toRecord: ({ id, machine_id: machineId, run, in_setup: startInSetup, operation_id, ...row }, companyId) => ({
      id,
      ref: run,
      companyId,
      machineId,
      jobOperationId: operation_id,
      startInSetup,
      startAt: instantText(row.start_ms),
      endAt: textOrNull(row.end_ms),
      productionAt: textOrNull(row.production_ms),
      startSequence: row.start_sequence,
    }),
  } satisfies TimedKind<typeof jobRunShape, JobRunRecord>,
} as const

function textOrNull(ms: number | null): string | null {
  return ms === null ? null : instantText(ms)
}

/** Conditions on records of a kind. */
export interface TimedConditions {
  /** Conditions on rows of the table. Those that exclude a job run must exclude all runs of its machine and start. */
  readonly rows?: readonly Sql[]
  /** Conditions on records that count. */
  readonly counted?: readonly Sql[]
}

/** Returns the conditions of all of these. */
export function allConditions(...all: readonly TimedConditions[]): Required<TimedConditions> {
  return { rows: all.flatMap(({ rows = [] }) => rows), counted: all.flatMap(({ counted = [] }) => counted) }
}

/** A page of records of a company. */
export interface TimedQuery<R> {
  readonly companyId: string
  /** null: all machines. */
  readonly machineIds: readonly string[] | null
  /** Records that start in [fromMs, toMs), UTC ms; null: no bound. */
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly where?: TimedConditions
  /** Length of the first interval that is read, ms; default: by the number of machines. */
  readonly firstLengthMs?: number
  /** Record after which the page begins. */
  readonly after: R | null
  /** Maximum number of records; Infinity: all. */
  readonly limit: number
}

/**
 * Reads records by start. The range is read in intervals until the page is full, so that a page reads little of a long
 * history. Rejects with a `StoreError`.
 */
export async function readTimedRecords<S extends Shape, R>(
  store: StoreReads,
  kind: TimedKind<S, R>,
  query: TimedQuery<R>,
  options: QueryOptions,
): Promise<readonly R[]> {
  const { companyId, machineIds, after, limit, where = {} } = query
  const afterMs = after === null ? 0 : Date.parse(kind.startOf(after))
  const ofPage = [
    ...(machineIds === null ? [] : [sql`machine_id IN ${array(str, machineIds)}`]),
    ...(after === null ? [] : [sql`(start_ms, ${kind.tie}) > (${int64(afterMs)}, ${kind.tieOf(after)})`]),
    ...(where.rows ?? []),
  ]
  let lengthMs = limit === Infinity ? Infinity : (query.firstLengthMs ?? firstLengthMs(machineIds))
  const lowestMs = Math.max(query.fromMs ?? 0, afterMs)
  const bounds = lowestMs > 0 || lengthMs === Infinity ? null : await readTimeBounds(store, kind.table, options)
  const endMs = Math.min(query.toMs ?? yearsEndMs, bounds ? bounds.last + 1 : yearsEndMs)
  const found: R[] = []
  let startMs = bounds?.first ?? lowestMs
  while (startMs < endMs) {
    const untilMs = Math.min(endMs, startMs + lengthMs)
    const conditions = { rows: [...startsIn(startMs, untilMs), ...ofPage], counted: where.counted ?? [] }
    const missing = limit - found.length
    const page = await readFirstRows(store, kind, companyId, conditions, missing, options)
    for (const row of page) found.push(kind.toRecord(row, companyId))
    if (page.length >= missing || untilMs >= endMs) break
    if (page.length > 0) {
      // Long enough for the rest of the page if the records are as dense as in this interval.
      lengthMs = Math.ceil(lengthMs * Math.min(maxGrowth, Math.max(1, (1.3 * missing) / page.length)))
      if (lengthMs > maxLengthMs) lengthMs = Infinity
      startMs = untilMs
    } else {
      lengthMs *= 8
      const later = [...startsIn(untilMs, endMs), ...ofPage]
      const month = await readFirstMonth(store, kind.table, companyId, later, options)
      startMs = month === null ? endMs : Math.max(untilMs, month)
    }
  }
  return found
}

function firstLengthMs(machineIds: readonly string[] | null): number {
  return machineIds === null || machineIds.length > fewMachines ? dayMs : Infinity
}

/** Number of machines up to which one query reads their records: several queries would take longer. */
const fewMachines = 10
/** Maximum growth from one interval to the next, because a few records are a bad estimate. */
const maxGrowth = 32
/** Maximum length of an interval, ms: records that are less dense are read in one query. */
const maxLengthMs = 366 * dayMs
/** No record begins in the year 10000. */
const yearsEndMs = 253_402_300_800_000
/** First interval of pages of sparse records, such as those of a job operation, ms. */
export const sparseLengthMs = 2 * recordIntervalMs

/**
 * Conditions on columns of the sorting key select rows before FINAL, which otherwise merges the rows of all machines in
 * 30 days. All versions of a record have the same key.
 */
const keyFirst = { optimize_move_to_prewhere_if_final: 1 } as const satisfies QuerySettings

/** Reads the first rows, in the order of the kind. */
function readFirstRows<S extends Shape, R>(
  store: StoreReads,
  { table, shape, tie, counted = (id, where) => from(table, id, { final: true, where }) }: TimedKind<S, R>,
  companyId: string,
  where: Required<TimedConditions>,
  limit: number,
  options: QueryOptions,
): Promise<readonly RowOf<typeof position & S>[]> {
  const columns = join(Object.keys({ ...position, ...shape }).map(identifier))
  const source = counted(companyId, [...where.rows, sql`deleted = 0`])
  const query = sql`
    SELECT * FROM (SELECT ${columns} ${source}) ${whereAll(where.counted)}
    ORDER BY start_ms, ${tie} ${limit === Infinity ? empty : sql`LIMIT ${uint32(limit)}`}`
  const settings = { ...options.settings, ...keyFirst }
  return rows(store, query, { ...position, ...shape }, { ...options, settings })
}

/** Reads the earliest and the latest start in a table, UTC ms; null if it is empty. The store has them as metadata. */
async function readTimeBounds(
  store: StoreReads,
  table: TimedTable,
  options: QueryOptions,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const query = sql`
    SELECT min(start_ms) AS first, max(start_ms) AS last, count() AS rows
    ${fromAll(table, 'limits of the search for the first records of a company')}`
  const found = await firstRow(store, query, { first: wide, last: wide, rows: wide }, options)
  return found && found.rows > 0 ? found : null
}

/** Reads the start of the month of the earliest rows, UTC ms; null if there are none. */
async function readFirstMonth(
  store: StoreReads,
  table: TimedTable,
  companyId: string,
  where: readonly Sql[],
  options: QueryOptions,
): Promise<number | null> {
  const query = sql`SELECT ${month} AS month ${from(table, companyId, { where })} ORDER BY company, ${month} LIMIT 1`
  const first = await firstRow(store, query, { month: wide }, options)
  return first && first.month * recordIntervalMs
}

/** SQL condition: an annotation extends beyond an instant, UTC ms. */
export function endsAfter(atMs: number): Sql {
  return sql`end_ms > ${int64(atMs)} OR end_ms IS NULL`
}

/**
 * Reads the annotations of these machines that overlap [fromMs, toMs), UTC ms: by machine id, by start. Rejects with a
 * `StoreError`.
 */
export async function readAnnotations(
  store: StoreReads,
  companyId: string,
  machineIds: readonly string[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  options: QueryOptions,
): Promise<ReadonlyMap<string, readonly AnnotationRecord[]>> {
  const end = toMs === Infinity ? null : toMs
  const where = { rows: [endsAfter(fromMs)] }
  const query = { companyId, machineIds, fromMs: null, toMs: end, where, after: null, limit: Infinity }
  const found = await readTimedRecords(store, timedKinds.annotation, query, options)
  return groupBy(found, ({ machineId }) => machineId)
}
