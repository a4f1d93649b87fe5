import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { ident, sql } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'

/** A numbered file of statements; its number is its place in the order. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
}

/** A done migration that is not what it was, or that this version doesn't know. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly code = 'migration_changed'
}

/**
 * Runs what the database doesn't have yet, in order. Each migration is noted as started and as done; one that was started and
 * not done is run again, so every statement must be repeatable (IF NOT EXISTS). Returns the names of those run.
 * Throws `MigrationError` when a migration that is done has another text now.
 */
export async function migrate(store: Store, migrations?: readonly Migration[]): Promise<readonly string[]> {
  const known = migrations ?? (await readMigrations())
  await store.command(createTable)
  const done = await readDone(store)
  const ran: string[] = []
  for (const migration of known) {
    const { number, name, text } = migration
    const checksum = done.get(number)
    if (checksum === checksumOf(text)) continue
    if (checksum !== undefined) throw new MigrationError(`Migration ${name} was changed after it had been run`)
    await note(store, migration, 'started')
    for (const statement of splitStatements(text)) await store.command({ parts: [statement] })
    await note(store, migration, 'done')
    ran.push(name)
  }
  return ran
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

const migrationsTable = ident('schema_migrations')

const createTable: Sql = sql`
  CREATE TABLE IF NOT EXISTS ${migrationsTable} (
    number   UInt32,
    name     String,
    checksum String,
    state    Enum8('started' = 1, 'done' = 2),
    at       DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
  ) ENGINE = MergeTree ORDER BY (number, state, at)`

async function readDone(store: Store): Promise<ReadonlyMap<number, string>> {
  const rows = await store.query<{ number: number; checksum: string }>(
    sql`SELECT number, checksum FROM ${migrationsTable} WHERE state = 'done' ORDER BY number, at`,
    { lane: 'write' },
  )
  return new Map(rows.map(({ number, checksum }) => [number, checksum]))
}

async function note(store: Store, { number, name, text }: Migration, state: 'started' | 'done'): Promise<void> {
  const row = JSON.stringify([number, name, checksumOf(text), state])
  await store.insert('schema_migrations', ['number', 'name', 'checksum', 'state'], row)
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}
