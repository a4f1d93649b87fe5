import { join, literalInteger, type Sql, sql, uint32, rawSql } from '../../clickhouse/sql/sql.ts'
import type { QuerySettings, Store } from '../../clickhouse/client/store.ts'
import { exportRows } from '../../clickhouse/tables/exports.ts'
import { from } from '../../clickhouse/tables/from.ts'
import { type ColumnName, identifier } from '../../clickhouse/tables/table.ts'
import { rejectForeignReads } from '../../clickhouse/tables/company-guard.ts'
import type { FileColumn, ColumnKind, FileTable } from './table.ts'
import type { CompanyRef } from '../../schema/refs.ts'

export interface ParquetExport {
  readonly companyRef: CompanyRef
  /** Distinguishes the rows of concurrent exports. */
  readonly id: number
  readonly path: string
  readonly table: FileTable
  readonly signal?: AbortSignal
}

const rowColumns: readonly ColumnName<typeof exportRows>[] = ['company', 'export', 'row', 'cells']

/** Rows per insert, and the maximum number of rows in memory. */
const rowsPerInsert = 10_000

/** Limits of a row group: efficient for readers; the engine keeps one group in memory. */
export const rowGroups: QuerySettings = {
  output_format_parquet_row_group_size: 65_536,
  output_format_parquet_row_group_size_bytes: 33_554_432,
}

const settings: QuerySettings = { ...rowGroups, max_threads: 1, max_block_size: 8192 }

/** Writes a table as Parquet by the engine: the rows are inserted into a table, where they get their types. */
export async function writeParquet(
  store: Store,
  { companyRef, id, path, table, signal }: ParquetExport,
): Promise<void> {
  const options = { settings, ...(signal ? { signal } : {}), logComment: `/csv parquet company=${companyRef}` }
  try {
    for (const lines of insertsOf(table.rows, companyRef, id)) {
      signal?.throwIfAborted()
      await store.insert(exportRows.name, rowColumns, lines, signal ? { signal } : {})
    }
    const query = rejectForeignReads(typedRows(table.columns, companyRef, id), companyRef)
    await store.writeFile(query, 'Parquet', path, options)
  } finally {
    // A partition is named by a literal, because parameters are not allowed here.
    await store.command(sql`ALTER TABLE ${identifier(exportRows.name)} DROP PARTITION ${literalInteger(id)}`)
  }
}

function* insertsOf(rows: FileTable['rows'], companyRef: CompanyRef, id: number): Generator<string> {
  let lines: string[] = []
  let number = 0
  for (const row of rows) {
    const cells = row.map(cell => (cell === null ? null : wellFormed(String(cell))))
    lines.push(JSON.stringify([companyRef, id, number++, cells]))
    if (lines.length < rowsPerInsert) continue
    yield lines.join('\n')
    lines = []
  }
  if (lines.length > 0) yield lines.join('\n')
}

/** Replaces unpaired surrogates, which the store rejects, by the replacement character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD')
}

function typedRows(columns: readonly FileColumn[], companyRef: CompanyRef, id: number): Sql {
  const cells = columns.map(
    ({ name, kind }, i) => sql`${typedText[kind](sql`cells[${uint32(i + 1)}]`)} AS ${columnName(name)}`,
  )
  return sql`
SELECT ${join(cells)}
${from(exportRows, companyRef, { where: [sql`export = ${uint32(id)}`] })}
ORDER BY company, export, row`
}

/** Converts a column's texts to values in Parquet; UTC ms are texts, too. */
export const typedText: Readonly<Record<ColumnKind, (text: Sql) => Sql>> = {
  text: same,
  number: asNumber,
  rate: asNumber,
  integer: text => sql`toInt64OrNull(${text})`,
  ms: asNumber,
  msPerPart: asNumber,
  ratio: asNumber,
  date: text => sql`toDate32OrNull(substring(${text}, 1, 10))`,
  instant: text =>
    sql`ifNull(fromUnixTimestamp64Milli(toInt64OrNull(${text}), 'UTC'), parseDateTime64BestEffortOrNull(${text}, 3, 'UTC'))`,
}

/** Converts a column's numbers to values in Parquet; instants are UTC ms. */
export function typedNumber(kind: ColumnKind): (value: Sql) => Sql {
  return kind === 'instant'
    ? value => sql`fromUnixTimestamp64Milli(accurateCastOrNull(${value}, 'Int64'), 'UTC')`
    : same
}

function same(value: Sql): Sql {
  return value
}

function asNumber(text: Sql): Sql {
  return sql`toFloat64OrNull(${text})`
}

/** A column of the file: a grouping, metric or constant; several names if one column contains several. */
export function columnName(...names: readonly string[]): Sql {
  for (const name of names) if (!/^\w+$/.test(name)) throw new TypeError(`Not a column: ${JSON.stringify(name)}`)
  return rawSql(`\`${names.join(',')}\``)
}
