import type { StoreInstallation } from '../../schema/installation.ts'
import { nullOr, storedText, wide } from '../client/kinds.ts'
import { firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { sql, str } from '../sql/sql.ts'
import { fromAll, fromShared } from '../tables/from.ts'
import { records } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { identifier, table } from '../tables/table.ts'
import { positionKind } from './stored-records.ts'

/**
 * Table with the installation's id. It is not created by a migration, because migrations run only after the id was
 * checked.
 */
const installation = table('installation', { id: 'String', at: "DateTime64(3, 'UTC')" })
const bookkeeping: ReadonlySet<string> = new Set([installation.name, 'applied_migrations'])
const read: QueryOptions = { workload: 'process' }

/** Reads to which installation the store belongs, without writing. Rejects with a `StoreError`. */
export async function readStoreInstallation(store: Store): Promise<StoreInstallation> {
  const tables = await rows(
    store,
    sql`SELECT name, total_rows AS row_count FROM system.tables WHERE database = ${str(store.database)}`,
    { name: storedText, row_count: nullOr(wide) },
    read,
  )
  const isMarked = tables.some(({ name }) => name === installation.name)
  const row = isMarked
    ? await firstRow(store, sql`SELECT id ${fromShared(installation)} LIMIT 1`, { id: storedText }, read)
    : null
  if (row) return { state: 'known', id: row.id }
  const hasRows = tables.some(({ name, row_count: count }) => !bookkeeping.has(name) && count !== null && count > 0)
  // The log may have the id before the store has any row.
  if (isMarked) return { state: 'unfinished' }
  return { state: hasRows ? 'unmarked' : 'empty' }
}

/** Creates the table for the id. If a store has the table but no id, its first start was interrupted. */
export async function prepareStoreInstallation(store: Store): Promise<void> {
  await store.command(sql`
    CREATE TABLE IF NOT EXISTS ${identifier(installation.name)} (id String, at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'))
    ENGINE = MergeTree ORDER BY id
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120`)
}

/** Writes the id. Several processes may write the same id. */
export async function writeStoreInstallation(store: Store, id: string): Promise<void> {
  await prepareStoreInstallation(store)
  await insertRows(store, writer, [id])
}

const writer: RowWriter<string> = rowWriter(installation, { id: id => id })

/**
 * Reads the highest `commandOffset` of any record in the store, also of an entry that is stored partly; -1 if there is
 * none. The position does not count. The tables must exist. Rejects with a `StoreError`.
 */
export async function readHighestCommandOffset(store: Store): Promise<number> {
  const query = sql`SELECT max(toInt64(command_offset)) AS last ${fromAll(records, 'a new log continues the numbers of all companies', { where: [sql`kind != ${str(positionKind)}`] })} HAVING count() > 0`
  return (await firstRow(store, query, { last: wide }, read))?.last ?? -1
}
