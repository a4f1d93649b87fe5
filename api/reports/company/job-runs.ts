import { narrow, machineRef, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { type RowOf, rows } from '../../../clickhouse/client/rows.ts'
import { array, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { fromNewestRuns } from '../../../clickhouse/projections/newest-runs.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { jobRuns } from '../../../clickhouse/tables/records.ts'
import { openEnd } from '../../../clickhouse/tables/values.ts'
import { shownEndMs } from '../../../processors/records/effective-runs.ts'
import type { NamedOperation } from '../../../schema/records/job-names.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import type { KeyValue, QueryContext } from '../query/query.ts'
import type { CompanyView } from './company-view.ts'
import { findOperations, findOperationsByRef } from './job-operations.ts'

/** A job run as reports name it. */
export interface NamedRun {
  readonly id: string
  readonly operation: NamedOperation
  readonly machineId: string
  readonly startMs: number
  /** Effective end, UTC ms; null: the run is open, or in progress. */
  readonly endMs: number | null
}

/** A view with the job runs and operations that occur in the rows of a result. */
export interface NamedView extends CompanyView {
  /** By ref. */
  readonly runs: ReadonlyMap<number, NamedRun>
  /** By ref. */
  readonly operations: ReadonlyMap<number, NamedOperation>
}

/** A view with the job runs of the operations in the filters of a request. */
export interface FilterView extends CompanyView {
  /** Returns the refs of all runs of an operation in the filters. */
  readonly runsOfOperation: (id: string) => readonly number[]
}

/** Maximum number of refs per query: each is up to ten bytes of SQL. */
const refsPerQuery = 50_000

/** Refs in the rows of a result, which may repeat. */
export interface RefsInRows {
  readonly runs?: Iterable<KeyValue>
  readonly operations?: Iterable<KeyValue>
}

/** Adds the job runs and operations with these refs to a view, and the operations of the runs. Rejects with a `StoreError`. */
export async function withNames(
  view: CompanyView,
  { runs = [], operations = [] }: RefsInRows,
  queries: QueryContext,
): Promise<NamedView> {
  const rows = await readRuns(view, await distinctRefs(runs), queries)
  const refs = await distinctRefs(operationRefs(rows, operations))
  const found = await findOperationsByRef(view, refs, queries)
  return { ...view, operations: found, runs: await nameRuns(rows, view, found) }
}

function* operationRefs(runs: readonly RunRow[], operations: Iterable<KeyValue>): Generator<KeyValue> {
  yield* operations
  for (const { operation } of runs) yield operation
}

type RunRow = RowOf<typeof shape>

async function nameRuns(
  rowsOfRuns: readonly RunRow[],
  view: CompanyView,
  operations: ReadonlyMap<number, NamedOperation>,
): Promise<ReadonlyMap<number, NamedRun>> {
  const runs = new Map<number, NamedRun>()
  const slice = new TimeSlice()
  for (const { run, id, machine, operation, start_ms: startMs, until_ms: untilMs } of rowsOfRuns) {
    const [ofMachine, ofOperation] = [view.machine(machine), operations.get(operation)]
    if (!ofMachine || !ofOperation) continue
    const endMs = shownEndMs({ startMs, endMs: untilMs ?? Infinity }, view.nowMs)
    runs.set(run, { id, operation: ofOperation, machineId: ofMachine.id, startMs, endMs })
    if (slice.isOver) await slice.next()
  }
  return runs
}

async function readRuns(
  view: CompanyView,
  distinct: Uint32Array,
  { store, options }: QueryContext,
): Promise<readonly RunRow[]> {
  const found: RunRow[] = []
  for (let first = 0; first < distinct.length; first += refsPerQuery) {
    const where = [sql`run IN ${array(uint32, [...distinct.subarray(first, first + refsPerQuery)])}`]
    const newest = from(jobRuns, view.company.ref, { final: true, where })
    const query = sql`SELECT run, id, machine, operation, start_ms, until_ms ${newest}`
    for (const row of await rows(store, query, shape, options)) found.push(row)
  }
  return found
}

/** Returns each ref once, ascending. */
async function distinctRefs(refs: Iterable<KeyValue>): Promise<Uint32Array> {
  const distinct = new Set<number>()
  const slice = new TimeSlice()
  for (const ref of refs) {
    if (typeof ref === 'number' && ref !== 0) distinct.add(ref)
    if (slice.isOver) await slice.next()
  }
  return Uint32Array.from(distinct).sort()
}

const shape = {
  run: narrow,
  id: storedText,
  machine: machineRef,
  operation: narrow,
  start_ms: wide,
  until_ms: openEnd.kind,
} as const

/** Adds the refs of the runs of these operations to a view; an unknown id has none. Rejects with a `StoreError`. */
export async function withRunsOfOperations(
  view: CompanyView,
  ids: readonly string[],
  queries: QueryContext,
): Promise<FilterView> {
  const { store, options } = queries
  const refs = new Map((await findOperations(view, ids, queries)).map(({ id, ref }) => [id, ref]))
  const runs = new Map<number, number[]>([...refs.values()].map(ref => [ref, []]))
  if (runs.size > 0) {
    const isOneOf = sql`operation IN ${array(uint32, [...runs.keys()])}`
    const query = sql`SELECT run, operation ${fromNewestRuns(view.company.ref, [isOneOf])}`
    for (const { run, operation } of await rows(store, query, { run: narrow, operation: narrow }, options))
      runs.get(operation)?.push(run)
  }
  return { ...view, runsOfOperation: id => runs.get(refs.get(id) ?? 0) ?? [] }
}
