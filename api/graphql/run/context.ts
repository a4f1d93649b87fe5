import type { QueryOptions, Store } from '../../../clickhouse/client/store.ts'
import { columns, type ColumnsOf, type RowOf, type Shape } from '../../../clickhouse/client/rows.ts'
import type { Sql } from '../../../clickhouse/sql/sql.ts'
import type { TimeSlice } from '../../../shared/async/time-slice.ts'
import type { ReportName } from '../../../schema/groupings.ts'
import type { ReportRunner } from '../../reports/reports.ts'
import type { ResponseBudget } from './response-budget.ts'
import type { ArgumentBudget } from './argument-budget.ts'
import type { ListRequest } from '../compile/list.ts'
import type { Source } from '../model/source-reads.ts'
import type { QueryScope } from '../model/scope.ts'
import type { Selected } from './selection.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'
import type { LiveValue } from '../../live/values/latest-values.ts'
import { mapCooperatively } from './map-cooperatively.ts'
import type { Read } from './reads.ts'

/** The context of one operation: its company, store, limits and the instant at which it runs. */
export interface OperationContext {
  readonly scope: QueryScope
  /** Throws for a statement that would read rows of another company. */
  readonly store: Store
  readonly options: QueryOptions
  /** Aborts when a limit is exceeded, the time limit is reached, or the client disconnects. */
  readonly signal: AbortSignal
  readonly budget: ResponseBudget
  readonly argumentBudget: ArgumentBudget
  /** Time slice that the lists of the operation share: they yield to the event loop between their statements. */
  readonly slice: TimeSlice
  /** Returns the latest values that may not be stored yet; `null` selects all machines or all keys. */
  readonly recentValues: RecentValuesSource
  /** Resolves when the samples up to `toMs` that were accepted before are stored, or after a short timeout. */
  readonly recentSamples: (toMs: number) => Promise<void>
  /** Returns the ref of a machine; null: the company has no machine with that id. */
  readonly machineRef: (machineId: string) => MachineRef | null
  /** Called with the sources that a root list will read. */
  readonly onReads: (reads: readonly Read[]) => void
  /** null over WebSocket, where reports are not available. */
  readonly reports: ReportRunners | null
  /** null: all statements are sent to the store. */
  readonly localResults: LocalResults | null
  /** Runs reports one after the other, because each runs large statements. */
  readonly reportsInTurn: <T>(report: () => Promise<T>) => Promise<T>
}

/**
 * The rows of a list by parent: by the value of the column that refers to the parent; the rows of a root list are under
 * `null`.
 */
export type RowsByParent = ReadonlyMap<unknown, readonly Readonly<Record<string, unknown>>[]>

/** The result of a statement, by column. */
export type ResultColumns = Readonly<Record<string, readonly unknown[]>>

/** Results that this process has in memory, equal to those of the store. */
export interface LocalResults {
  /**
   * Returns the rows of a list without a query to the store, and counts them in the budget before they are built;
   * returns null if only the store has them.
   */
  list(
    request: ListRequest,
    fields: readonly Selected[],
    companyId: string,
    budget: ResponseBudget,
  ): Promise<RowsByParent | null>
  /** Returns the cached result of a statement that reads these sources; if there is none, calls `queryStore`. */
  query(
    companyId: string,
    sources: readonly Source[],
    statement: Sql,
    queryStore: () => Promise<ResultColumns>,
  ): Promise<ResultColumns>
}

/** Returns the latest values that may not be stored yet, of these machines and keys; null: of all. */
export type RecentValuesSource = (
  companyRef: CompanyRef,
  machines: ReadonlySet<MachineRef> | null,
  keys: ReadonlySet<string> | null,
) => readonly LiveValue[]

/** The reports by name; they have the same arguments and results as the REST routes. */
export type ReportRunners = Readonly<Record<ReportName, ReportRunner>>

/** Runs a statement and returns its columns; does not count the rows in the budget. */
export async function queryColumns<const S extends Shape>(
  { store, options }: OperationContext,
  statement: Sql,
  shape: S,
): Promise<ColumnsOf<S>> {
  return await columns(store, statement, shape, options)
}

/** Runs a statement and returns its rows; yields to the event loop and does not count the rows in the budget. */
export async function queryRows<const S extends Shape>(
  { store, options, signal }: OperationContext,
  statement: Sql,
  shape: S,
): Promise<readonly RowOf<S>[]> {
  const found = await columns(store, statement, shape, options)
  const entries = Object.entries<readonly unknown[]>(found)
  const indexes = Array.from({ length: entries[0]?.[1].length ?? 0 }, (_, i) => i)
  const rowAt = (i: number) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `columns` has checked it
    Object.fromEntries(entries.map(([name, values]) => [name, values[i]])) as RowOf<S>
  return await mapCooperatively(indexes, rowAt, signal)
}
