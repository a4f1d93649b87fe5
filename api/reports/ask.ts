import { type RowOf, rows, type Shape } from '../../clickhouse/client/rows.ts'
import type { KnownCoverage } from '../../clickhouse/documents/known-coverage.ts'
import type { Sql } from '../../clickhouse/sql/sql.ts'
import type { QueryOptions, Store } from '../../clickhouse/client/store.ts'
import {
  makeProvisional,
  type ProvisionalDeps,
  type DocumentScope,
  findMissing,
  relationOf,
} from './provisional-documents.ts'
import { guardedStore } from '../../clickhouse/client/company-guard.ts'
import type { CompanyView } from './company-view.ts'
import type { Provisional } from './sql.ts'

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

export interface RunDeps extends ProvisionalDeps {
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
  scope: DocumentScope,
  view: CompanyView,
  compile: (provisional: Provisional | null) => Sql,
  shape: S,
  deps: ProvisionalDeps & Asking,
): Promise<readonly RowOf<S>[]> {
  const { provisional } = await makeMissing(scope, view, deps)
  return rows(deps.store, compile(provisional), shape, deps.options)
}

/** Before a report is read, as what is there now is there then. `isWhole`: no document is missing. */
export async function makeMissing(scope: DocumentScope, view: CompanyView, deps: ProvisionalDeps & Asking) {
  const missing = await findMissing(scope, view, deps, deps.options)
  const documents = missing.length === 0 ? [] : await makeProvisional(scope, missing, deps, deps.options)
  return { isWhole: missing.length === 0, provisional: documents.length > 0 ? relationOf(documents) : null }
}
