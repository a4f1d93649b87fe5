import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { readMigrations } from '../../clickhouse/migrations/migrate.ts'

const list = new URL('../../clickhouse/migrations/released.sha256', import.meta.url)

/** Returns the SHA-256 of each migration by its name, in their order. */
export async function migrationHashes(): Promise<ReadonlyMap<string, string>> {
  const migrations = await readMigrations()
  return new Map(migrations.map(({ name, text }) => [name, createHash('sha256').update(text).digest('hex')]))
}

/** Reads the hashes of released migrations by name, a list in the format of `sha256sum`. */
export function readReleased(): ReadonlyMap<string, string> {
  const lines = readFileSync(list, 'utf8').trim().split('\n')
  return new Map(lines.map(line => [line.slice(66), line.slice(0, 64)]))
}

/** Lists all migrations as released. */
export async function writeReleased(): Promise<void> {
  const hashes = await migrationHashes()
  writeFileSync(list, [...hashes].map(([name, hash]) => `${hash}  ${name}\n`).join(''))
}
