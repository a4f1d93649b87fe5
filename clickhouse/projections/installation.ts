import type { StoreInstallation } from '../../schema/installation.ts'
import { ident, sql, str } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'

/** Beside the migrations, which may only run once it is known whose store this is. */
const table = ident('installation')
const bookkeeping: ReadonlySet<string> = new Set(['installation', 'schema_migrations'])
const read: QueryOptions = { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } }

/** Reads which installation the store belongs to; writes nothing. Rejects with a `StoreError`. */
export async function readStoreInstallation(store: Store): Promise<StoreInstallation> {
  const tables = await store.query<{ readonly name: string; readonly rows: number | null }>(
    sql`SELECT name, total_rows AS rows FROM system.tables WHERE database = ${str(store.database)}`,
    read,
  )
  const isMarked = tables.some(({ name }) => name === 'installation')
  const [row] = isMarked ? await store.query<{ readonly id: string }>(sql`SELECT id FROM ${table} LIMIT 1`, read) : []
  if (row) return { state: 'known', id: row.id }
  const hasRows = tables.some(({ name, rows }) => !bookkeeping.has(name) && (rows ?? 0) > 0)
  if (!hasRows) return { state: 'empty' }
  return { state: isMarked ? 'unfinished' : 'unmarked' }
}

/** Makes room for the id: from here on a store without one is that of a first start that did not end. */
export async function prepareStoreInstallation(store: Store): Promise<void> {
  await store.command(sql`
    CREATE TABLE IF NOT EXISTS ${table} (id String, at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'))
    ENGINE = MergeTree ORDER BY id
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480`)
}

/** Writes the id. Several processes may do so with the same id. */
export async function writeStoreInstallation(store: Store, id: string): Promise<void> {
  await prepareStoreInstallation(store)
  await store.insert('installation', ['id'], JSON.stringify([id]))
}

/** The highest `commandOffset` of any record in the store; -1: there is none. The store must have its tables. */
export async function readHighestCommandOffset(store: Store): Promise<number> {
  const [row] = await store.query<{ readonly last: number }>(
    sql`SELECT max(toInt64(command_offset)) AS last FROM records HAVING count() > 0`,
    read,
  )
  return row?.last ?? -1
}
