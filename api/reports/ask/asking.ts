import { guardedStore } from '../../../clickhouse/tables/company-guard.ts'
import type { QueryOptions, Store } from '../../../clickhouse/client/store.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** Bounds of what one query of a report may cost the store: seconds, bytes and rows. */
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

/** Access to the store for one report: guarded, and with limits. */
export interface Asking {
  readonly store: Store
  readonly options: QueryOptions
}

/** The store as a report of a company asks it; `signal` gives the query up. */
export function askingFor(
  { store, limits = defaultLimits }: { readonly store: Store; readonly limits?: QueryLimits },
  { companyRef, report }: { readonly companyRef: CompanyRef; readonly report: string },
  signal?: AbortSignal,
): Asking {
  return {
    store: guardedStore(store, companyRef),
    options: {
      settings: {
        readonly: 2,
        cancel_http_readonly_queries_on_client_close: 1,
        ...limits,
      },
      logComment: `/reports/${report} company=${companyRef}`,
      workload: 'report',
      ...(signal ? { signal } : {}),
    },
  }
}
