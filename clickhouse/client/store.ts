import type { ClickHouseSettings } from '@clickhouse/client'
import type { NumberColumn } from './native.ts'
import type { NativeRows } from './native-block.ts'
import type { Sql } from '../sql/sql.ts'

/**
 * The columnar store port: one database of ClickHouse, a server's or the engine in this process. Every call may reject with a
 * `StoreError`. UInt64 and Int64 come back as text, DateTime64 as `YYYY-MM-DD HH:MM:SS.mmm`.
 */
export interface Store {
  readonly kind: 'server' | 'embedded'
  readonly database: string
  /** All rows of a SELECT, as objects. */
  query<Row>(sql: Sql, options?: QueryOptions): Promise<Row[]>
  /**
   * All rows of a SELECT as one array per column, with names and types. Readers take `rows.ts`, which checks the shape of the answer.
   * A third of the time of `query` for many rows.
   */
  answer(sql: Sql, options?: QueryOptions): Promise<ColumnarAnswer>
  /** The columns alone, in the order selected, without names and types; nothing is checked. */
  columns<Columns extends readonly unknown[][]>(sql: Sql, options?: QueryOptions): Promise<Columns>
  /**
   * All rows of a SELECT of numbers alone (see `native.ts`), by column: a quarter of the time of `answer`. Rejects with a `TypeError`
   * unless the columns have these names, in this order.
   */
  numbers(sql: Sql, names: readonly string[], options?: QueryOptions): Promise<readonly NumberColumn[]>
  /** The answer as bytes in one of ClickHouse's text formats (none has a header), for files too large to hold. */
  stream(sql: Sql, format: StreamFormat, options?: QueryOptions): AsyncIterable<Buffer>
  /** Writes the result to a new file of this machine. A file that remains after a failure is invalid. */
  writeFile(sql: Sql, format: StoredFormat, path: string, options?: QueryOptions): Promise<void>
  /** Rows as JSONCompactEachRow text, one JSON array a line, for the columns named. Resolves when the engine has acknowledged. */
  insert(table: string, columns: readonly string[], lines: string | Buffer, options?: InsertOptions): Promise<void>
  /** Rows as columns: a quarter of the time of `insert` for many rows. Resolves when the engine has acknowledged. */
  insertNative(table: string, rows: NativeRows, options?: InsertOptions): Promise<void>
  /** A statement without an answer: DDL, INSERT … SELECT. */
  command(sql: Sql, options?: QueryOptions): Promise<void>
  /**
   * A number that differs after each acknowledged write to one of these tables. null: unknown, because of other writers
   * (a server).
   */
  writeCount(tables: readonly string[]): number | null
  /** Resolves when the engine answers, rejects otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}

export type StreamFormat = 'CSV' | 'JSONEachRow' | 'JSONCompactEachRow' | 'TabSeparated'

/** Formats of files. */
export type StoredFormat = 'Parquet' | 'CustomSeparatedWithNames'

/** Settings of one query. */
export type QuerySettings = { readonly [Name in keyof ClickHouseSettings]?: number | string }

export interface QueryOptions {
  readonly settings?: QuerySettings
  /** Text that the server's query log shows for it, e.g. `/report/production company=3`. */
  readonly logComment?: string
  /** Gives up the query; a server stops working on it, the embedded engine finishes it unheard. */
  readonly signal?: AbortSignal
  /**
   * Class of a query; queries of one class never delay those of another. `report` (default): pages and reports, a few
   * in parallel; `process`: reads of the pipeline; `write`: inserts and commands; `records`: inserts that a change of
   * records waits for.
   */
  readonly workload?: Workload
}

export type Workload = 'report' | 'process' | 'write' | 'records'

export interface InsertOptions {
  readonly settings?: QuerySettings
  readonly signal?: AbortSignal
  /** As of a query; `write` by default. */
  readonly workload?: Workload
}

/** The store refused or could not be reached. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** ClickHouse's error number, such as 60 for an unknown table; 0 without a response. */
  readonly code: number
  /** ClickHouse's name of the error, such as `UNKNOWN_TABLE`, or `NETWORK`, `ABORTED`. */
  readonly type: string
  /** true: the call may work later. false: it never will, because the statement or its rows are refused. */
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

/** Rows of JSONEachRow text. JSON escapes line ends within strings, so one parse takes them all. */
export function parseRows<Row>(text: string): Row[] {
  const rows: Row[] = JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`)
  return rows
}

/** An answer by column: of all rows. */
export interface ColumnarAnswer {
  readonly meta: readonly { readonly name: string; readonly type: string }[]
  /** Without rows, columns may be missing. */
  readonly data: Readonly<Record<string, readonly unknown[]>>
  /** How many there are. */
  readonly rows: number
}

/** JSONColumnsWithMetadata text. */
export function parseAnswer(text: string): ColumnarAnswer {
  const answer: ColumnarAnswer = JSON.parse(text)
  return answer
}

/** Columns of JSONColumnsWithMetadata text, in the order selected, also where there are no rows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- said once here for both implementations
export function parseColumns<Columns extends readonly unknown[][]>(text: string): Columns {
  const { meta, data } = parseAnswer(text)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows what its SELECT gives
  return meta.map(({ name }) => data[name] ?? []) as unknown as Columns
}
