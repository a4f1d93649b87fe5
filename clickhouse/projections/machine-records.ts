import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineInstant, MachineSpan, TimedRecords } from '../../schema/records/timed-records.ts'
import type { Shape } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { searchedMs, type SpanKind, SpanReader, type TimedRecord } from './span-reader.ts'
import { readTimedRecords, timedKinds } from './timed-records.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

const byId = (a: TimedRecord, b: TimedRecord): number => compareTexts(a.id, b.id)

const jobRun = {
  ...timedKinds.jobRun,
  compare: (a: JobRunRecord, b: JobRunRecord) => a.startSequence - b.startSequence,
  // A run whose end equals its start was cancelled, so the run before it is in force.
  earlier: {
    mayBeInForce: sql`ifNull(end_ms != start_ms, 1)`,
    latestFirst: sql`start_ms DESC, start_sequence DESC`,
  },
  // Such a run ends the run before it within the span.
  withEnd: true,
} satisfies SpanKind<typeof timedKinds.jobRun.shape, JobRunRecord>

const annotation: SpanKind<typeof timedKinds.annotation.shape, AnnotationRecord> = {
  ...timedKinds.annotation,
  compare: byId,
  // Annotations do not overlap, so only the latest one may be in force.
  earlier: {
    mayBeInForce: sql`1`,
    latestFirst: sql`start_ms DESC`,
    reaches: atMs => sql`end_ms > ${atMs} OR end_ms IS NULL`,
  },
}

/** Maximum number of spans per query: each is up to 200 bytes of SQL. */
const spansPerQuery = 500

/**
 * Reads the records that determine the documents of machines in spans: those that start in a span, and those that
 * started earlier and may be in force when it begins, however old they are. `maxSignInMs`: maximum duration of a sign-in.
 * Resolves to the records of each span, in the order of the spans. Rejects with a `StoreError`.
 */
export async function readMachineRecords(
  store: StoreReads,
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
  store: StoreReads,
  companyId: string,
  instants: readonly MachineInstant[],
  options: QueryOptions,
): Promise<readonly JobRunRecord[]> {
  const found: JobRunRecord[] = []
  for (let first = 0; first < instants.length; first += spansPerQuery) {
    const some = instants.slice(first, first + spansPerQuery)
    const spans = some.map(({ machineId, atMs }) => ({ machineId, fromMs: atMs, toMs: atMs + searchedMs }))
    const read = await new SpanReader(store, jobRun, companyId, options).read(spans)
    for (const [index, { machineId, atMs }] of some.entries()) {
      const runs = read[index] ?? []
      for (const run of runs) found.push(run)
      if (runs.some(run => Date.parse(run.startAt) > atMs && run.endAt !== run.startAt)) continue
      const next = await readNextRun(store, companyId, machineId, atMs, options)
      if (next) found.push(next)
    }
  }
  return found
}

/** Reads the first effective run of a machine after an instant, UTC ms; null if there is none. */
export async function readNextRun(
  store: StoreReads,
  companyId: string,
  machineId: string,
  afterMs: number,
  options: QueryOptions,
): Promise<JobRunRecord | null> {
  const range = { fromMs: afterMs + 1, toMs: null, firstLengthMs: searchedMs }
  const query = { companyId, machineIds: [machineId], ...range, after: null, limit: 1 }
  const [next] = await readTimedRecords(store, timedKinds.jobRun, query, options)
  return next ?? null
}
