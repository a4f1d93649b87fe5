import { sql } from '../sql/sql.ts'
import type { Store } from './store.ts'

/** A setting without which an acknowledged row could be lost in a power cut. */
export class NotDurable extends Error {
  override readonly name = 'NotDurable'
  readonly code = 'store_not_durable'
}

/** Settings, with the minimum of each, for tables with data that cannot be recomputed. */
const tableSettings: Readonly<Record<string, number>> = {
  // A part is on disk before its insert is acknowledged,
  fsync_after_insert: 1,
  // and so is its name.
  fsync_part_directory: 1,
  // Merged parts are not synced; Linux writes what is older than 30 s, every 5 s. Until then the parts they replaced must stay.
  old_parts_lifetime: 120,
}

/** Settings of every statement of Takt. */
const sessionSettings: Readonly<Record<string, string>> = { async_insert: '0', fsync_metadata: '1' }

/** Tables whose last rows a power cut may take: files of a day, when a key was last used, migrations that can run again. */
const expendable: ReadonlySet<string> = new Set([
  'export_names',
  'export_rows',
  'export_sums',
  'key_uses',
  'migrations',
])

/** Rejects with a `NotDurable` that names each table and setting that a promise of durability rests on and that is otherwise. */
export async function requireDurable(store: Store): Promise<void> {
  const faults = [...(await faultsOfTables(store)), ...(await faultsOfSession(store))]
  if (faults.length > 0)
    throw new NotDurable(
      `The store would lose acknowledged rows in a power cut (database ${store.database}):\n  ${faults.join('\n  ')}`,
    )
}

async function faultsOfTables(store: Store): Promise<readonly string[]> {
  const [defaults, tables] = [await readTableDefaults(store), await readTables(store)]
  return tables
    .filter(({ name }) => !expendable.has(name))
    .flatMap(({ name, engine_full }) =>
      Object.entries(tableSettings).flatMap(([setting, least]) => {
        const value = settingOf(engine_full, setting) ?? defaults.get(setting) ?? 'unknown'
        if (Number(value) >= least) return []
        const repair = `ALTER TABLE ${name} MODIFY SETTING ${setting} = ${least}`
        return [`table ${name}: ${setting} is ${value} and must be at least ${least}; correct it with: ${repair}`]
      }),
    )
}

async function faultsOfSession(store: Store): Promise<readonly string[]> {
  const rows = await store.query<{ name: string; value: string }>(
    sql`SELECT name, value FROM system.settings WHERE name IN ('async_insert', 'fsync_metadata')`,
    { workload: 'write' },
  )
  const known = new Map(rows.map(({ name, value }) => [name, value]))
  return Object.entries(sessionSettings).flatMap(([setting, wanted]) => {
    const value = known.get(setting) ?? 'unknown'
    return value === wanted ? [] : [`setting ${setting} is ${value} and must be ${wanted}: change the user's profile`]
  })
}

async function readTableDefaults(store: Store): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query<{ name: string; value: string }>(
    sql`SELECT name, value FROM system.merge_tree_settings
        WHERE name IN ('fsync_after_insert', 'fsync_part_directory', 'old_parts_lifetime')`,
    { workload: 'write' },
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

async function readTables(store: Store): Promise<readonly { name: string; engine_full: string }[]> {
  return store.query(
    sql`SELECT name, engine_full FROM system.tables
        WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND NOT startsWith(name, '.') ORDER BY name`,
    { workload: 'write' },
  )
}

/** The value that a table's definition gives a setting; null: the engine's default holds. */
function settingOf(engineFull: string, setting: string): string | null {
  const [, settings = ''] = engineFull.split(' SETTINGS ')
  const pair = settings.split(', ').find(text => text.startsWith(`${setting} = `))
  return pair?.slice(setting.length + 3) ?? null
}
