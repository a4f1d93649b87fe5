import { createClient } from '@clickhouse/client'
import { chdbPath } from './database.ts'
import { atFileEnd } from './file-end.ts'
import { httpFront } from './http-front.ts'

/** Access of a separate process to a ClickHouse: that in CLICKHOUSE_URL, otherwise the HTTP front of this process's chDB. */
export interface SharedClickhouse {
  readonly host: string
  readonly port: number
  /** Settings for a service with a new database, which is dropped at the end of the file: idle tables take CPU time. */
  env(): Readonly<Record<string, string>>
}

let count = 0

export async function sharedClickhouse(): Promise<SharedClickhouse> {
  const named = process.env['CLICKHOUSE_URL']
  const { url, username, password } = named
    ? {
        url: named,
        username: process.env['CLICKHOUSE_USER'] ?? 'default',
        password: process.env['CLICKHOUSE_PASSWORD'] ?? '',
      }
    : await httpFront(chdbPath())
  const { hostname, port } = new URL(url)
  return {
    host: hostname,
    port: Number(port),
    env() {
      const database = `test_child_${process.pid}_${++count}`
      atFileEnd(async () => {
        const client = createClient({ url, username, password })
        await client.command({ query: `DROP DATABASE IF EXISTS ${database} SYNC` })
        await client.close()
      })
      return {
        CLICKHOUSE_URL: url,
        CLICKHOUSE_USER: username,
        CLICKHOUSE_PASSWORD: password,
        CLICKHOUSE_DATABASE: database,
      }
    },
  }
}
