import { setTimeout as sleep } from 'node:timers/promises'
import { guardedStore } from '../../../clickhouse/tables/company-guard.ts'
import type { QueryOptions, Store } from '../../../clickhouse/client/store.ts'
import { unavailable } from '../../../schema/errors.ts'
import type { CompanyRef } from '../../../schema/refs.ts'
import type { Columns, Query } from './columns.ts'

/** Limits of what one query of a report may cost the store: seconds, bytes and rows. */
export interface QueryLimits {
  readonly max_execution_time: number
  readonly max_memory_usage: number
  readonly max_rows_to_read: number
  readonly max_result_rows: number
}

const defaultLimits: QueryLimits = {
  max_execution_time: 30,
  max_memory_usage: 4_000_000_000,
  max_rows_to_read: 2_000_000_000,
  max_result_rows: 5_000_000,
}

/** Access to the store for the queries of one report: guarded, and with limits. */
export interface QueryContext {
  readonly store: Store
  readonly options: QueryOptions
}

/** The store and limits of a query context. */
export interface QueryDeps {
  readonly store: Store
  readonly limits?: QueryLimits
}

/** The parts with a store that reads this company's rows only, and the options of its queries; `signal` cancels them. */
export function createQueryContext<Deps extends QueryDeps>(
  deps: Deps,
  { companyRef, report }: { readonly companyRef: CompanyRef; readonly report: string },
  signal?: AbortSignal,
): Deps & QueryContext {
  const { store, limits = defaultLimits } = deps
  return {
    ...deps,
    store: guardedStore(store, companyRef),
    options: {
      settings: { readonly: 2, cancel_http_readonly_queries_on_client_close: 1, ...limits },
      logComment: `/reports/${report} company=${companyRef}`,
      workload: 'report',
      ...(signal ? { signal } : {}),
    },
  }
}

/** A condition that the columns of a result must meet: some values follow the documents within moments. */
export interface CompletionCheck {
  readonly isComplete: (columns: Columns) => boolean
  /** Message of the 503 if the result does not become complete. */
  readonly message: string
}

/** Sends a query; repeats it until the result passes the check, if there is one. Rejects with 503 if it never does. */
export async function runQuery(
  query: Query,
  { store, options }: QueryContext,
  check?: CompletionCheck,
): Promise<Columns> {
  const send = () => store.numbers(query.sql, query.columns, options)
  if (!check) return send()
  for (const waitMs of waitsMs) {
    const columns = await send()
    if (check.isComplete(columns)) return columns
    await sleep(waitMs, undefined, options.signal && { signal: options.signal })
  }
  throw unavailable(check.message)
}

const waitsMs = [50, 100, 200, 400, 800]
