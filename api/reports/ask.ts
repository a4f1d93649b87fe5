import { type RowOf, rows, type Shape } from '../../clickhouse/client/rows.ts'
import type { KnownCoverage } from '../../clickhouse/documents/known-coverage.ts'
import type { Sql } from '../../clickhouse/sql/sql.ts'
import type { QueryOptions, Store } from '../../clickhouse/client/store.ts'
import { carryOn, type CarriedDeps, type CarryScope, findMissing, relationOf } from './carried.ts'
import { guardedStore } from '../../clickhouse/client/company-guard.ts'
import type { Plant } from './plant.ts'
import type { Carried } from './sql.ts'

/** What one query of a report may cost the store: seconds, bytes and rows. */
export interface QueryLimits {
  readonly max_execution_time: number
  readonly max_memory_usage: number
  readonly max_rows_to_read: number
  readonly max_result_rows: number
}

/** Where nothing else is said. */
const defaultLimits: QueryLimits = {
  max_execution_time: 30,
  max_memory_usage: 4_000_000_000,
  max_rows_to_read: 2_000_000_000,
  max_result_rows: 5_000_000,
}

export interface RunDeps extends CarriedDeps {
  readonly coverage: KnownCoverage
  readonly limits?: QueryLimits
}

/** How the store is asked for a report: guarded, and within limits. */
export interface Asking {
  readonly store: Store
  readonly options: QueryOptions
}

export function askingFor(
  { store, limits = defaultLimits }: Pick<RunDeps, 'store' | 'limits'>,
  { company, report }: { readonly company: number; readonly report: string },
  signal?: AbortSignal,
): Asking {
  return {
    store: guardedStore(store, company),
    options: {
      settings: {
        readonly: 2,
        cancel_http_readonly_queries_on_client_close: 1,
        ...limits,
      },
      logComment: `/reports/${report} company=${company}`,
      lane: 'report',
      ...(signal ? { signal } : {}),
    },
  }
}

/**
 * Asks what reads documents of the scope's range: `compile` gets those that are missing in the store, made here.
 */
export async function askDocuments<const S extends Shape>(
  scope: CarryScope,
  plant: Plant,
  compile: (carried: Carried | null) => Sql,
  shape: S,
  deps: CarriedDeps & Asking,
): Promise<readonly RowOf<S>[]> {
  const { carried } = await carryMissing(scope, plant, deps)
  return rows(deps.store, compile(carried), shape, deps.options)
}

/** Before a report is read, as what is there now is there then. `isWhole`: no document is missing. */
export async function carryMissing(scope: CarryScope, plant: Plant, deps: CarriedDeps & Asking) {
  const missing = await findMissing(scope, plant, deps, deps.options)
  const documents = missing.length === 0 ? [] : await carryOn(scope, missing, deps, deps.options)
  return { isWhole: missing.length === 0, carried: documents.length > 0 ? relationOf(documents) : null }
}
