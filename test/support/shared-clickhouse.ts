import { chdbPath } from './database.ts'
import { httpFront } from './http-front.ts'

/** Access of a separate process to a ClickHouse: that in CLICKHOUSE_URL, otherwise the HTTP front of this process's chDB. */
export interface SharedClickhouse {
  readonly host: string
  readonly port: number
  /** Settings for a service with its own database. */
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
