import { chdbPath } from './database.ts'
import { httpFront } from './http-front.ts'

/** How a process of its own reaches a ClickHouse: the one that CLICKHOUSE_URL names, else the front over this process's chDB. */
export interface SharedClickhouse {
  readonly host: string
  readonly port: number
  /** Settings for a service, with a database of its own. */
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
    env: () => ({
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: username,
      CLICKHOUSE_PASSWORD: password,
      CLICKHOUSE_DATABASE: `test_child_${process.pid}_${++count}`,
    }),
  }
}
