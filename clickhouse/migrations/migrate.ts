import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { narrow, storedText } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import { array, join, rawSql, sql, str } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import { fromShared } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { identifier, table } from '../tables/table.ts'

/** A numbered file of statements. Migrations run in the order of their numbers. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
}

/** How a store was migrated: what a later version has done to it, or what this version would do. */
export interface PendingMigrations {
  /** Names of migrations that did not run yet. */
  readonly missing: readonly string[]
  /** Missing migrations with which running processes of earlier versions cannot work; none in a new store. */
  readonly breaking: readonly string[]
  /** Number of the newest migration of this version. */
  readonly newest: number
  /** Number of the newest migration that a version needs to work with the tables of this version. */
  readonly compatibleFrom: number
}

/** The store has another version. The message contains the reason and the steps to take. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  /**
   * `store_format_old`: a version before 0.2.0 created the store; `migration_changed`: a migration differs from the one
   * that ran; `store_format_new`: a later version migrated the store in a way that this version cannot use.
   */
  readonly code: 'store_format_old' | 'migration_changed' | 'store_format_new'

  constructor(code: MigrationError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Runs the missing migrations in order; returns their names. The start and the end of each are recorded. A migration
 * that did not end runs again, so its statements must be repeatable (IF NOT EXISTS). On a new database, all run as one,
 * because recording takes most of the time. Migrations of a later version are accepted if they are compatible with the
 * newest migration of this version (`-- Compatible from: NNN`). Rejects with a `MigrationError` if the database has
 * another version, or with a `StoreError`.
 */
export async function migrate(store: Store, migrations?: readonly Migration[]): Promise<readonly string[]> {
  const known = migrations ?? (await readMigrations())
  const done = (await readAccepted(store, known)) ?? (await createMigrationsTable(store))
  const missing = known.filter(({ number }) => !done.has(number))
  const batches = done.size === 0 && missing.length > 0 ? [missing] : missing.map(migration => [migration])
  for (const batch of batches) await runBatch(store, batch)
  return missing.map(({ name }) => name)
}

/** Returns what `migrate` would run. Writes nothing. Rejects as `migrate` does. */
export async function readPendingMigrations(
  store: Store,
  migrations?: readonly Migration[],
): Promise<PendingMigrations> {
  const known = migrations ?? (await readMigrations())
  const done = (await readAccepted(store, known)) ?? new Map<number, Done>()
  const missing = known.filter(({ number }) => !done.has(number))
  const ran = Math.max(0, ...done.keys())
  const breaking = missing.filter(migration => done.size > 0 && compatibleFrom(migration) > ran)
  return {
    missing: missing.map(({ name }) => name),
    breaking: breaking.map(({ name }) => name),
    newest: Math.max(0, ...known.map(({ number }) => number)),
    compatibleFrom: Math.max(0, ...known.map(compatibleFrom)),
  }
}

async function runBatch(store: Store, migrations: readonly Migration[]): Promise<void> {
  await record(store, migrations, 'started')
  await runStatements(store, migrations.flatMap(({ text }) => splitStatements(text)).map(rawSql))
  await record(store, migrations, 'done')
}

/** The embedded engine runs many statements at once, which takes a quarter less CPU. */
async function runStatements(store: Store, statements: readonly Sql[]): Promise<void> {
  if (store.kind === 'embedded' && statements.length > 1) {
    try {
      return await store.command(join(statements, rawSql('\n;\n')))
    } catch {
      // Statements that run one by one show which of them fails.
    }
  }
  for (const statement of statements) await store.command(statement)
}

/** Returns the migrations that ran, by number. Rejects with a `MigrationError` if this version cannot work with them. */
async function readAccepted(store: Store, known: readonly Migration[]): Promise<ReadonlyMap<number, Done> | null> {
  const names = await readTables(store)
  if (oldTables.some(name => names.has(name))) throw oldFormatError(store)
  if (!names.has(migrationsTable.name)) return null
  const states = await readStates(store)
  // A migration of a later version that did not end may have changed tables.
  const isKnown = new Set(known.map(({ number }) => number))
  const counting = states.filter(({ number, state }) => state === 'done' || !isKnown.has(number))
  rejectOtherVersions(store, new Map(counting.map(each => [each.number, each])), known)
  return new Map(states.filter(({ state }) => state === 'done').map(each => [each.number, each]))
}

/** Returns which of the tables exist that record migrations. */
async function readTables(store: Store): Promise<ReadonlySet<string>> {
  const names = array(str, [...oldTables, migrationsTable.name])
  const found = await rows(
    store,
    sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN ${names}`,
    { name: storedText },
    { workload: 'write' },
  )
  return new Set(found.map(({ name }) => name))
}

function oldFormatError({ database, kind }: Store): MigrationError {
  const steps =
    kind === 'embedded'
      ? 'set TAKT_DATA_DIR to an empty folder, or remove the folder that it names'
      : 'set CLICKHOUSE_DATABASE to a new name, or drop the database'
  return new MigrationError(
    'store_format_old',
    `A version before 0.2.0 created the tables of the database ${database}. This version cannot read them. To start with ` +
      `an empty store, ${steps}.`,
  )
}

function rejectOtherVersions(store: Store, done: ReadonlyMap<number, Done>, known: readonly Migration[]): void {
  const texts = new Map(known.map(migration => [migration.number, migration.text]))
  const newest = Math.max(0, ...texts.keys())
  for (const [number, { name, checksum, compatible_from: from }] of done) {
    const migration = texts.get(number)
    if (migration === undefined) {
      if (from <= newest) continue
      throw new MigrationError(
        'store_format_new',
        `A later version has migrated the database ${store.database} (${name}) in a way that this version cannot use. Nothing was ` +
          'changed.\nWhat to do: start that version, or restore a backup of log and store from before the upgrade.',
      )
    }
    if (checksumOf(migration) !== checksum)
      throw new MigrationError(
        'migration_changed',
        `Migration ${name} was changed after it had run on the database ${store.database}. Start the version that ran it.`,
      )
  }
}

/** Returns the migrations of this folder, `NNN-name.sql`, in order. */
export async function readMigrations(folder: URL = new URL('./', import.meta.url)): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async name => ({
      number: Number.parseInt(name, 10),
      name,
      text: await readFile(new URL(name, folder), 'utf8'),
    })),
  )
}

/** Splits SQL at semicolons outside of strings, quoted names and comments. A comment belongs to the next statement. */
export function splitStatements(text: string): readonly string[] {
  const tokens =
    text.match(/'(?:[^'\\]|\\.|'')*'|`[^`]*`|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^'`"\-/;]+|[\s\S]/g) ?? []
  const statements: { text: string; isEmpty: boolean }[] = [{ text: '', isEmpty: true }]
  for (const token of tokens) {
    const current = statements.at(-1)
    if (current === undefined) break
    if (token === ';') statements.push({ text: '', isEmpty: true })
    else {
      current.text += token
      current.isEmpty &&= /^(--|\/\*|\s*$)/.test(token)
    }
  }
  return statements.filter(({ isEmpty }) => !isEmpty).map(({ text }) => text.trim())
}

/** Tables of migrations of versions before 0.2.0. */
const oldTables = ['schema_migrations', 'migrations'] as const

/** Migrations that started, and those that ended. */
const migrationsTable = table('applied_migrations', {
  number: 'UInt32',
  name: 'String',
  checksum: 'String',
  state: 'LowCardinality(String)',
  compatible_from: 'UInt32',
  at: "DateTime64(3, 'UTC')",
})

const createTable: Sql = sql`
  CREATE TABLE IF NOT EXISTS ${identifier(migrationsTable.name)} (
    number          UInt32,
    name            String,
    checksum        String,
    state           LowCardinality(String),
    compatible_from UInt32,
    at              DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
  ) ENGINE = MergeTree ORDER BY (number, state, at)`

async function createMigrationsTable(store: Store): Promise<ReadonlyMap<number, Done>> {
  await store.command(createTable)
  return new Map()
}

interface Done {
  readonly name: string
  readonly checksum: string
  /** Versions with this migration and later ones can work with the migrated tables. */
  readonly compatible_from: number
}

/** Reads the starts and ends of migrations, in order. */
async function readStates(
  store: Store,
): Promise<readonly (Done & { readonly number: number; readonly state: string })[]> {
  return rows(
    store,
    sql`SELECT number, name, checksum, compatible_from, state ${fromShared(migrationsTable)} ORDER BY number, at`,
    { number: narrow, name: storedText, checksum: storedText, compatible_from: narrow, state: storedText },
    { workload: 'write' },
  )
}

interface MigrationState {
  readonly migration: Migration
  readonly state: 'started' | 'done'
}

const stateWriter: RowWriter<MigrationState> = rowWriter(migrationsTable, {
  number: ({ migration }) => migration.number,
  name: ({ migration }) => migration.name,
  checksum: ({ migration }) => checksumOf(migration.text),
  state: ({ state }) => state,
  compatible_from: ({ migration }) => compatibleFrom(migration),
})

async function record(store: Store, migrations: readonly Migration[], state: MigrationState['state']): Promise<void> {
  await insertRows(
    store,
    stateWriter,
    migrations.map(migration => ({ migration, state })),
  )
}

/**
 * Returns the number in the line `-- Compatible from: NNN`: versions whose newest migration has this number or a higher one
 * can work with the migrated tables, also at the same time. Default: the migration's own number.
 */
function compatibleFrom({ number, text }: Migration): number {
  const [, from] = /^-- Compatible from: (\d+)$/m.exec(text) ?? []
  return from === undefined ? number : Number(from)
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}
