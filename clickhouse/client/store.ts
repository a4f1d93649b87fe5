import type { ClickHouseSettings } from '@clickhouse/client'
import { type NumberColumn, parseNative } from './native.ts'
import type { NativeRows } from './native-block.ts'
import type { Sql } from '../sql/sql.ts'

/**
 * One database of ClickHouse, on a server or in this process. Every method may reject with a `StoreError`. UInt64 and
 * Int64 are returned as strings, DateTime64 as `YYYY-MM-DD HH:MM:SS.mmm`.
 */
export interface Store {
  readonly kind: 'server' | 'embedded'
  readonly database: string
  /** Returns all rows of a SELECT as objects. */
  query<Row>(sql: Sql, options?: QueryOptions): Promise<Row[]>
  /**
   * Returns all rows of a SELECT as one array per column, with names and types. Use it through `rows.ts`, which checks
   * the shape of the result. Takes a third of the time of `query` for many rows.
   */
  queryColumns(sql: Sql, options?: QueryOptions): Promise<ColumnarResult>
  /** Returns only the columns, in the order of the SELECT, without names and types; nothing is checked. */
  columns<Columns extends readonly unknown[][]>(sql: Sql, options?: QueryOptions): Promise<Columns>
  /**
   * Returns all rows of a SELECT of numeric columns (see `native.ts`), as one array per column, in a quarter of the
   * time of `queryColumns`. Rejects with a `TypeError` unless the columns have these names, in this order.
   */
  numbers(sql: Sql, names: readonly string[], options?: QueryOptions): Promise<readonly NumberColumn[]>
  /** Streams a result in a text format of ClickHouse without a header, for results that are too large for memory. */
  stream(sql: Sql, format: StreamFormat, options?: QueryOptions): AsyncIterable<Buffer>
  /** Writes a result to a new file of this machine. A file that remains after a failure is invalid. */
  writeFile(sql: Sql, format: StoredFormat, path: string, options?: QueryOptions): Promise<void>
  /**
   * Inserts rows in the format JSONCompactEachRow: one JSON array per line, with values for `columns`. Resolves when
   * the engine has acknowledged the rows.
   */
  insert(table: string, columns: readonly string[], lines: string | Buffer, options?: InsertOptions): Promise<void>
  /**
   * Inserts rows in columnar form, in a quarter of the time of `insert` for many rows. Resolves when the engine has
   * acknowledged the rows.
   */
  insertNative(table: string, rows: NativeRows, options?: InsertOptions): Promise<void>
  /** Runs a statement without a result, such as DDL or INSERT … SELECT. */
  command(sql: Sql, options?: QueryOptions): Promise<void>
  /**
   * Returns a number that changes with each acknowledged write to one of these tables; null if it is unknown, because
   * other processes may write (a server).
   */
  writeCount(tables: readonly string[]): number | null
  /** Resolves when the engine responds; rejects otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}

export type StreamFormat = 'CSV' | 'JSONEachRow' | 'JSONCompactEachRow' | 'TabSeparated' | 'TabSeparatedRaw'

/** Formats of files. */
export type StoredFormat = 'Parquet' | 'CustomSeparated' | 'CustomSeparatedWithNames'

/** Settings of one query. */
export type QuerySettings = { readonly [Name in keyof ClickHouseSettings]?: number | string }

export interface QueryOptions {
  readonly settings?: QuerySettings
  /** Comment in the server's query log, such as `/report/production company=3`. */
  readonly logComment?: string
  /** Cancels the query. A server stops it; the embedded engine completes it, and its result is ignored. */
  readonly signal?: AbortSignal
  /**
   * Class of a query; queries of one class never delay those of another. `report` (default): pages and reports, a few
   * in parallel; `process`: reads of the pipeline; `write`: inserts and commands; `records`: inserts of changes of
   * records; `lookup`: look-ups for which a change of records waits.
   */
  readonly workload?: Workload
}

export type Workload = 'report' | 'process' | 'write' | 'records' | 'lookup'

export interface InsertOptions {
  readonly settings?: QuerySettings
  readonly signal?: AbortSignal
  /** Class of the insert, default `write`; see `QueryOptions.workload`. */
  readonly workload?: Workload
}

/** The store rejected a call or could not be reached. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** Error code of ClickHouse, such as 60 for an unknown table; 0 without a response. */
  readonly code: number
  /** Name of the error in ClickHouse, such as `UNKNOWN_TABLE`; or `NETWORK`, `ABORTED`, `BEHIND`. */
  readonly type: string
  /** Whether a retry may succeed; false if the statement or its rows are invalid. */
  readonly retryable: boolean
  /** The SQL with placeholders. */
  readonly query: string

  constructor(
    message: string,
    details: { code: number; type: string; retryable: boolean; query: string; cause?: unknown },
  ) {
    super(message, { cause: details.cause })
    this.code = details.code
    this.type = details.type
    this.retryable = details.retryable
    this.query = details.query
  }
}

/** A store for reads that check the names and types of columns (`rows.ts`). */
export type StoreReads = Pick<Store, 'queryColumns'>

/** Runs a SELECT and returns its result in a format of ClickHouse. */
interface FormattedReads {
  text(sql: Sql, format: 'JSONEachRow' | 'JSONColumnsWithMetadata', options: QueryOptions): Promise<string>
  native(sql: Sql, options: QueryOptions): Promise<Buffer>
}

/** The reads of a store by its results in several formats. */
export function readsOf(reads: FormattedReads): Pick<Store, 'query' | 'queryColumns' | 'columns' | 'numbers'> {
  const queryColumns: Store['queryColumns'] = async (sql, options = {}) =>
    JSON.parse(await reads.text(sql, 'JSONColumnsWithMetadata', options))
  return {
    queryColumns,
    async query<Row>(sql: Sql, options: QueryOptions = {}) {
      const text = await reads.text(sql, 'JSONEachRow', options)
      // JSON escapes line ends within strings, so that one call of JSON.parse can parse all rows.
      const rows: Row[] = JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`)
      return rows
    },
    async columns<Columns extends readonly unknown[][]>(sql: Sql, options: QueryOptions = {}) {
      const { meta, data } = await queryColumns(sql, options)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller states the types of the columns of its SELECT
      return meta.map(({ name }) => data[name] ?? []) as unknown as Columns
    },
    numbers: async (sql, names, options = {}) => parseNative(await reads.native(sql, options), names),
  }
}

/** Result by column. */
export interface ColumnarResult {
  readonly meta: readonly { readonly name: string; readonly type: string }[]
  /** If the result has no rows, columns may be missing. */
  readonly data: Readonly<Record<string, readonly unknown[]>>
  readonly rows: number
}
