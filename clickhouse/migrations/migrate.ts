import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { narrow, storedText } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import { array, join, rawSql, sql, str } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import { fromShared } from '../tables/from.ts'
import { records } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { identifier, table } from '../tables/table.ts'

/** A numbered file of statements; its number is its place in the order. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
}

/** The store cannot be used as it is. The message says why, and the way out. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  /**
   * `store_format_old`: made by a version before the first release; `migration_changed`: a done migration has another text now;
   * `store_format_new`: a later version has migrated it.
   */
  readonly code: 'store_format_old' | 'migration_changed' | 'store_format_new'

  constructor(code: MigrationError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Runs what the database does not have yet, in order. Each migration is noted as started and as done; one that was started and
 * not done is run again, so every statement must be repeatable (IF NOT EXISTS). On a new database they are noted all at once, as
 * notes take most of the time and a second run costs nothing there. Returns the names of those run.
 * Rejects with a `MigrationError` where the database is of another version, or with a `StoreError`.
 */
export async function migrate(store: Store, migrations?: readonly Migration[]): Promise<readonly string[]> {
  const known = migrations ?? (await readMigrations())
  const tables = await readTables(store)
  refuseOldTables(store, tables)
  const done = tables.has(migrationsTable.name) ? await readDone(store) : await createNotes(store)
  refuseOtherVersions(store, done, known)
  const missing = known.filter(({ number }) => !done.has(number))
  const batches = done.size === 0 && missing.length > 0 ? [missing] : missing.map(migration => [migration])
  const hasRecords = tables.has(records.name)
  for (const batch of batches) await runNoted(store, batch, hasRecords)
  return missing.map(({ name }) => name)
}

async function runNoted(store: Store, migrations: readonly Migration[], hasRecords: boolean): Promise<void> {
  await note(store, migrations, 'started')
  const statements = migrations
    .flatMap(({ text }) => splitStatements(text))
    .filter(statement => hasRecords || !copiesRecords(statement))
    .map(rawSql)
  await runStatements(store, statements)
  await note(store, migrations, 'done')
}

/** The engine in this process takes many statements at once: a new database takes a quarter less CPU. */
async function runStatements(store: Store, statements: readonly Sql[]): Promise<void> {
  if (store.kind === 'embedded' && statements.length > 1) {
    try {
      return await store.command(join(statements, rawSql('\n;\n')))
    } catch {
      // One by one they tell which of them fails.
    }
  }
  for (const statement of statements) await store.command(statement)
}

/** Whether a statement fills a table from the records: a database that had no records before has nothing to be copied. */
function copiesRecords(statement: string): boolean {
  return statement.startsWith('INSERT INTO ') && statement.includes(`FROM ${records.name} FINAL`)
}

/**
 * Rejects with a `MigrationError` where a version before the first release has made the store's tables: it noted its migrations in
 * another table. Reads only.
 */
export async function refuseOldFormat(store: Store): Promise<void> {
  refuseOldTables(store, await readTables(store))
}

/** The names of the tables that tell how far a database is. */
async function readTables(store: Store): Promise<ReadonlySet<string>> {
  const names = array(str, [oldNotes, migrationsTable.name, records.name])
  const found = await rows(
    store,
    sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN ${names}`,
    { name: storedText },
    { workload: 'write' },
  )
  return new Set(found.map(({ name }) => name))
}

function refuseOldTables(store: Store, tables: ReadonlySet<string>): void {
  if (!tables.has(oldNotes)) return
  const way =
    store.kind === 'embedded'
      ? 'set TAKT_DATA_DIR to an empty folder, or remove the folder that it names'
      : 'set CLICKHOUSE_DATABASE to a new name, or drop the database'
  throw new MigrationError(
    'store_format_old',
    `The tables of the database ${store.database} have the format of a version before the first release, which this version ` +
      `cannot read. To start with an empty store, ${way}.`,
  )
}

function refuseOtherVersions({ database }: Store, done: ReadonlyMap<number, Done>, known: readonly Migration[]): void {
  const texts = new Map(known.map(migration => [migration.number, migration.text]))
  for (const [number, { name, checksum }] of done) {
    const migration = texts.get(number)
    if (migration === undefined)
      throw new MigrationError(
        'store_format_new',
        `A later version has migrated the database ${database} (${name}). Start that version, or restore a backup from before it.`,
      )
    if (checksumOf(migration) !== checksum)
      throw new MigrationError(
        'migration_changed',
        `Migration ${name} was changed after it had been run on the database ${database}. Start the version that ran it.`,
      )
  }
}

/** The migrations of this folder, `NNN-name.sql`, in order. */
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

/** Statements end with a semicolon outside of strings, quoted names and comments. Comments stay with their statement. */
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

/** Table of the migrations of versions before the first release. */
const oldNotes = 'schema_migrations'

/** Table of the migrations that were begun and done. */
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

async function createNotes(store: Store): Promise<ReadonlyMap<number, Done>> {
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

interface Note {
  readonly migration: Migration
  readonly state: 'started' | 'done'
}

const noteWriter: RowWriter<Note> = rowWriter(migrationsTable, {
  number: ({ migration }) => migration.number,
  name: ({ migration }) => migration.name,
  checksum: ({ migration }) => checksumOf(migration.text),
  state: ({ state }) => state,
})

async function note(store: Store, migrations: readonly Migration[], state: Note['state']): Promise<void> {
  const notes = migrations.map(migration => ({ migration, state }))
  await insertRows(store, noteWriter, notes)
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}
