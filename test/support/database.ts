import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore, openEngine } from '../../clickhouse/client/embedded-store.ts'
import { migrate } from '../../clickhouse/migrations/migrate.ts'
import { openServerStore } from '../../clickhouse/client/server-store.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { httpFront } from './http-front.ts'

/** `embedded`: chDB; `front`: the real HTTP client against the front over chDB; `server`: the one that CLICKHOUSE_URL names. */
export type StoreKind = 'embedded' | 'front' | 'server'

/** Kinds of stores that the store's contract is tested on. */
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

/** An empty database of the test's own. */
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

/** A migrated database of the test's own. */
export async function freshDatabase(kind: StoreKind = 'embedded'): Promise<TestDatabase> {
  const database = await emptyDatabase(kind)
  await migrate(database.store)
  return database
}

/** In a `describe`: a migrated database that its tests share, gone after them. The store is there within tests and hooks. */
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
 * The one directory that chDB works in, in this process. A connection to it stays open: with the last one the engine would stop, and
 * each start of it takes its time and leaves threads behind, of which there may be 10,000.
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
