import { createClient } from '@clickhouse/client'
import type { ClickHouseClient } from '@clickhouse/client'
import { createChdbConnection } from 'chdb/connection'
import type { ChdbConnection } from 'chdb/connection'
import { commonSettings, settingsOf, settingsText } from './settings.ts'
import { inline, render } from './sql.ts'
import type { Sql } from './sql.ts'
import { toStoreError } from './store-error.ts'
import type { InsertOptions, Lane, QueryOptions, Store, StreamFormat } from './store.ts'

/**
 * ClickHouse in this process (chDB), kept under `path`: one path per process. Creates the database when it is missing.
 *
 * What the engine's binding asks for (chdb 3.4): queries of one client run one after the other, so each lane has clients of its
 * own; SET outlives its query, so a query's settings are a clause of it; parameters of parallel clients mix, which the binding
 * prevents by running all queries that have any one after the other in the whole process, so here they are written as literals.
 */
export async function openEmbeddedStore(options: EmbeddedOptions): Promise<Store> {
  const { path, database, reportClients = 3 } = options
  const admin = openMember(path)
  try {
    await admin.client.command({ query: `CREATE DATABASE IF NOT EXISTS ${databaseName(database)}` })
  } finally {
    await admin.client.close()
  }
  const lanes: Record<Lane, Pool> = {
    write: await openPool(path, database, 1),
    process: await openPool(path, database, 1),
    report: await openPool(path, database, reportClients),
  }
  return {
    kind: 'embedded',
    database,
    query: async <Row>(sql: Sql, options: QueryOptions = {}) => {
      const text = await run(lanes, sql, options, 'JSONCompactEachRowWithNames')
      return parseRows<Row>(text)
    },
    columns: async <Columns>(sql: Sql, options: QueryOptions = {}) =>
      JSON.parse(await run(lanes, sql, options, 'JSONCompactColumns')) as Columns,
    stream: (sql, format, options = {}) => stream(lanes, sql, format, options),
    insert: (table, columns, lines, options = {}) => insert(lanes.write, table, columns, lines, options),
    command: async (sql, options = {}) => {
      await run(lanes, sql, { lane: 'write', ...options }, null)
    },
    ping: async () => {
      await lanes.report.use(({ client }) => client.command({ query: 'SELECT 1' }))
    },
    close: async () => {
      await Promise.all(Object.values(lanes).map(pool => pool.close()))
    },
  }
}

export interface EmbeddedOptions {
  readonly path: string
  readonly database: string
  /** How many reports are computed in parallel. */
  readonly reportClients?: number
}
