import { type Sql, sql } from '../sql/sql.ts'
import type { Store } from './store.ts'

/** Thrown if a setting of the store could lose acknowledged rows in a power cut. */
export class NotDurable extends Error {
  override readonly name = 'NotDurable'
  readonly code = 'store_not_durable'
}

/** Settings of tables with data that cannot be recomputed, with the minimum of each. */
const tableSettings: Readonly<Record<string, number>> = {
  // A part is synced to disk before its insert is acknowledged,
  fsync_after_insert: 1,
  // and so is its directory entry.
  fsync_part_directory: 1,
  // Merged parts are not synced: Linux writes data older than 30 s, every 5 s. Until then, the source parts must be
  // kept.
  old_parts_lifetime: 120,
}

/** Required settings of the session of every statement. */
const sessionSettings: Readonly<Record<string, string>> = { async_insert: '0', fsync_metadata: '1' }

/**
 * Tables whose last rows may be lost in a power cut: files that expire after a day, times of key usage, migrations that
 * can run again.
 */
const unprotectedTables: ReadonlySet<string> = new Set([
  'export_names',
  'export_rows',
  'export_sums',
  'key_uses',
  'applied_migrations',
])

/**
 * Rejects with a `NotDurable` that lists each table and setting that could lose acknowledged rows, with the statement
 * that corrects it.
 */
export async function requireDurable(store: Store): Promise<void> {
  const faults = [...(await findTableFaults(store)), ...(await findSessionFaults(store))]
  if (faults.length === 0) return
  const database = `database ${store.database}`
  throw new NotDurable(`The store would lose acknowledged rows in a power cut (${database}):\n  ${faults.join('\n  ')}`)
}

async function findTableFaults(store: Store): Promise<readonly string[]> {
  const names = sql`('fsync_after_insert', 'fsync_part_directory', 'old_parts_lifetime')`
  const defaults = await readPairs(
    store,
    sql`SELECT name, value FROM system.merge_tree_settings WHERE name IN ${names}`,
  )
  const tables = await store.query<{ name: string; engine_full: string }>(
    sql`SELECT name, engine_full FROM system.tables
        WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND NOT startsWith(name, '.') ORDER BY name`,
    { workload: 'write' },
  )
  return tables
    .filter(({ name }) => !unprotectedTables.has(name))
    .flatMap(({ name, engine_full }) =>
      Object.entries(tableSettings).flatMap(([setting, minimum]) => {
        const value = settingOf(engine_full, setting) ?? defaults.get(setting) ?? 'unknown'
        if (Number(value) >= minimum) return []
        const correction = `ALTER TABLE ${name} MODIFY SETTING ${setting} = ${minimum}`
        return [`table ${name}: ${setting} is ${value} and must be at least ${minimum}; correct it with: ${correction}`]
      }),
    )
}

async function findSessionFaults(store: Store): Promise<readonly string[]> {
  const names = sql`('async_insert', 'fsync_metadata')`
  const known = await readPairs(store, sql`SELECT name, value FROM system.settings WHERE name IN ${names}`)
  return Object.entries(sessionSettings).flatMap(([setting, required]) => {
    const value = known.get(setting) ?? 'unknown'
    return value === required
      ? []
      : [`setting ${setting} is ${value} and must be ${required}: change the user's profile`]
  })
}

async function readPairs(store: Store, query: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query<{ name: string; value: string }>(query, { workload: 'write' })
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Returns the value of a setting in a table's definition; null if the engine's default applies. */
function settingOf(engineFull: string, setting: string): string | null {
  const [, settings = ''] = engineFull.split(' SETTINGS ')
  const pair = settings.split(', ').find(text => text.startsWith(`${setting} = `))
  return pair?.slice(setting.length + 3) ?? null
}
