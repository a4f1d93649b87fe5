import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore, openEngine } from '../../clickhouse/client/embedded-store.ts'
import { migrate } from '../../clickhouse/migrations/migrate.ts'
import { openServerStore } from '../../clickhouse/client/server-store.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { httpFront } from './http-front.ts'

/** `embedded`: chDB; `front`: the real HTTP client against the HTTP front of chDB; `server`: the server in CLICKHOUSE_URL. */
export type StoreKind = 'embedded' | 'front' | 'server'

/** Kinds of stores with which the contract of the store is tested. */
export const storeKinds: readonly StoreKind[] = [
  'embedded',
  'front',
  ...(process.env['CLICKHOUSE_URL'] ? (['server'] as const) : []),
]

export interface TestDatabase {
  readonly store: Store
  /** Drops the database and closes the store. */
  drop(): Promise<void>
}

/** A new empty database. */
export async function emptyDatabase(kind: StoreKind = 'embedded'): Promise<TestDatabase> {
  const database = `test_${process.pid}_${++count}`
  const store = await openers[kind](database)
  return {
    store,
    async drop() {
      await store.command({ parts: [`DROP DATABASE IF EXISTS ${database} SYNC`] })
      await store.close()
    },
  }
}

/** A new migrated database. */
export async function freshDatabase(kind: StoreKind = 'embedded'): Promise<TestDatabase> {
  const database = await emptyDatabase(kind)
  await migrate(database.store)
  return database
}

/** In a `describe`: a migrated database that its tests share, dropped after them. The store is available in tests and hooks. */
export function useFreshDatabase(kind: StoreKind = 'embedded'): () => Store {
  let database: TestDatabase | undefined
  before(async () => {
    database = await freshDatabase(kind)
  })
  after(() => database?.drop())
  return () => {
    if (!database) throw new Error('The database exists within tests only')
    return database.store
  }
}

/**
 * The only directory of chDB in this process. A connection to it stays open: chDB stops with its last connection, and
 * each of its starts takes time and leaves threads, which are limited to 10,000.
 */
export function chdbPath(): string {
  if (path === undefined || anchor === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'takt-test-'))
    anchor = openEngine(created)
    process.on('exit', () => rmSync(created, { recursive: true, force: true }))
    path = created
  }
  return path
}

let count = 0
let path: string | undefined
let anchor: ReturnType<typeof openEngine> | undefined

const openers: Record<StoreKind, (database: string) => Promise<Store>> = {
  embedded: database => openEmbeddedStore({ path: chdbPath(), database, reportClients: 2 }),
  front: async database => openServerStore({ ...(await httpFront(chdbPath())), database }),
  server: database =>
    openServerStore({
      url: process.env['CLICKHOUSE_URL'] ?? '',
      username: process.env['CLICKHOUSE_USER'] ?? 'default',
      password: process.env['CLICKHOUSE_PASSWORD'] ?? '',
      database,
    }),
}
