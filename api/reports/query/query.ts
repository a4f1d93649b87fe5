import type { NumberColumn } from '../../../clickhouse/client/native.ts'
import type { Sql } from '../../../clickhouse/sql/sql.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { guardedStore } from '../../../clickhouse/tables/company-guard.ts'
import { type QueryOptions, type Store, StoreError } from '../../../clickhouse/client/store.ts'
import { unavailable, type ApiError, fieldError, validationError } from '../../../schema/errors.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'

/** Columns of a result: one per key, then those of the report; all are empty without rows. */
export type Columns = readonly NumberColumn[]
/** A ref (0: none), the start of a cell in UTC seconds, or the refs of operators. */
export type KeyValue = number | readonly number[]

/** Keys that can group the rows of a report, in the order of the result's columns; each is the column `k_<name>`. */
export const allKeys = [
  ...(['cell', 'machine', 'shift', 'run', 'operation', 'operators'] as const),
  ...(['reason', 'state', 'nativeCode'] as const),
] as const
export type KeyName = (typeof allKeys)[number]

/** Keys of rows: those of documents, and those that only incidents have. */
export type RowKey = KeyName | 'incident' | 'rule' | 'severity' | 'kind' | 'acknowledgedBy'

/** A compiled plan. */
export interface Query {
  readonly sql: Sql
  /** Names of the columns of the result, in its order: numbers, or arrays of refs. */
  readonly columns: readonly string[]
}

/** Names of the columns of a result: keys first. */
export function resultColumns(keys: readonly KeyName[], ...others: readonly string[]): readonly string[] {
  return [...keys.map(name => `k_${name}`), ...others]
}

/** Limits of what one query of a report may cost the store: seconds, bytes and rows. */
export type QueryLimits = Readonly<typeof defaultLimits>

const defaultLimits = {
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
  { ref: companyRef, id }: Pick<CompanyRecord, 'ref' | 'id'>,
  report: string,
  signal?: AbortSignal,
): Deps & QueryContext {
  const { store, limits = defaultLimits } = deps
  return {
    ...deps,
    store: guardedStore(store, companyRef, id),
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

const sizeTypes: ReadonlySet<string> = new Set(['TOO_MANY_ROWS', 'TOO_MANY_BYTES', 'TOO_MANY_ROWS_OR_BYTES'])
/** The time has passed, or the store estimates that it will. */
const timeTypes: ReadonlySet<string> = new Set(['TIMEOUT_EXCEEDED', 'TOO_SLOW'])
/** The memory of one query. That of the whole store may be free again later. */
const memoryOfQuery = /memory limit \(for query\) exceeded|query memory limit exceeded/i

/** Awaits a result; rejects with 400 if a query exceeded the limits, and with any other error as it is. */
export async function mapQueryLimitErrors<T>(
  result: Promise<T>,
  tooLarge: () => ApiError = reportTooLarge,
): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (sizeTypes.has(error.type)) throw tooLarge()
    if (timeTypes.has(error.type)) throw tooCostly('time', error)
    if (error.type === 'MEMORY_LIMIT_EXCEEDED' && memoryOfQuery.test(error.message)) throw tooCostly('memory', error)
    throw error
  }
}

/** 400: a query has reached its limit of time or memory, as it probably would again. */
function tooCostly(limit: 'time' | 'memory', cause: StoreError): ApiError {
  const message = `The query reached its limit of ${limit}: ask for a shorter range or fewer machines`
  return validationError([fieldError('start', 'OutOfRange', message)], 0, cause)
}

/** 400: a read of the range exceeds the limits of a query. */
export function rangeTooLarge(): ApiError {
  return validationError([fieldError('start', 'OutOfRange', 'There is too much in the range: ask for a shorter one')])
}

/** 400: the report exceeds the limits of a query. */
export function reportTooLarge(): ApiError {
  return validationError([
    fieldError('groupBy', 'OutOfRange', 'The report is too large: ask for a shorter range or fewer groups'),
  ])
}
