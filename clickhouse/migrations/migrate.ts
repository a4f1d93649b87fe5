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

/** The store has another version. The message contains the reason and the steps to take. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  /**
   * `store_format_old`: a version before 0.2.0 created the store; `migration_changed`: a migration differs from the one
   * that ran; `store_format_new`: a later version migrated the store.
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
 * because recording takes most of the time. Rejects with a `MigrationError` if the database has another version, or
 * with a `StoreError`.
 */
export async function migrate(store: Store, migrations?: readonly Migration[]): Promise<readonly string[]> {
  const known = migrations ?? (await readMigrations())
  const tables = await readTables(store)
  if (tables.has(oldMigrations)) throw oldFormatError(store)
  const done = tables.has(migrationsTable.name) ? await readDone(store) : await createMigrationsTable(store)
  rejectOtherVersions(store, done, known)
  const missing = known.filter(({ number }) => !done.has(number))
  const batches = done.size === 0 && missing.length > 0 ? [missing] : missing.map(migration => [migration])
  for (const batch of batches) await runBatch(store, batch)
  return missing.map(({ name }) => name)
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

/** Rejects with a `MigrationError` if a version before 0.2.0 created the store. Reads only. */
export async function rejectOldFormat(store: Store): Promise<void> {
  const tables = await readTables(store)
  if (tables.has(oldMigrations)) throw oldFormatError(store)
  if (tables.has(migrationsTable.name)) rejectOldMigrations(store, await readDone(store), await readMigrations())
}

/** Returns which of the tables exist that record migrations. */
async function readTables(store: Store): Promise<ReadonlySet<string>> {
  const names = array(str, [oldMigrations, migrationsTable.name])
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

/** The first migration had other names before 0.2.0. */
function rejectOldMigrations(store: Store, done: ReadonlyMap<number, Done>, known: readonly Migration[]): void {
  const [first] = known
  const ran = first && done.get(first.number)
  if (ran && ran.name !== first.name) throw oldFormatError(store)
}

function rejectOtherVersions(store: Store, done: ReadonlyMap<number, Done>, known: readonly Migration[]): void {
  rejectOldMigrations(store, done, known)
  const texts = new Map(known.map(migration => [migration.number, migration.text]))
  for (const [number, { name, checksum }] of done) {
    const migration = texts.get(number)
    if (migration === undefined)
      throw new MigrationError(
        'store_format_new',
        `A later version has migrated the database ${store.database} (${name}). Start that version, or restore an earlier backup.`,
      )
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

/** Table of migrations of the first versions. */
const oldMigrations = 'schema_migrations'

/** Migrations that started, and those that ended. */
const migrationsTable = table('migrations', {
  number: 'UInt32',
  name: 'String',
  checksum: 'String',
  state: 'LowCardinality(String)',
  at: "DateTime64(3, 'UTC')",
})

const createTable: Sql = sql`
  CREATE TABLE IF NOT EXISTS ${identifier(migrationsTable.name)} (
    number   UInt32,
    name     String,
    checksum String,
    state    LowCardinality(String),
    at       DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
  ) ENGINE = MergeTree ORDER BY (number, state, at)`

async function createMigrationsTable(store: Store): Promise<ReadonlyMap<number, Done>> {
  await store.command(createTable)
  return new Map()
}

interface Done {
  readonly name: string
  readonly checksum: string
}

async function readDone(store: Store): Promise<ReadonlyMap<number, Done>> {
  const done = await rows(
    store,
    sql`SELECT number, name, checksum ${fromShared(migrationsTable, { where: [sql`state = 'done'`] })} ORDER BY number, at`,
    { number: narrow, name: storedText, checksum: storedText },
    { workload: 'write' },
  )
  return new Map(done.map(({ number, ...rest }) => [number, rest]))
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
})

async function record(store: Store, migrations: readonly Migration[], state: MigrationState['state']): Promise<void> {
  await insertRows(
    store,
    stateWriter,
    migrations.map(migration => ({ migration, state })),
  )
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}
