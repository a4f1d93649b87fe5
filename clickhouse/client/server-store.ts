import { withSignals } from '../../shared/async/join-signals.ts'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ClickHouseClient, ClickHouseSettings, DataFormat } from '@clickhouse/client'
import { Readable } from 'node:stream'
import { createWriteStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { bytesOf } from './bytes-of.ts'
import { parseNative } from './native.ts'
import { commonSettings, settingsOf } from './settings.ts'
import { databaseName, render } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { attempt, toStoreError } from './store-error.ts'
import { parseAnswer, parseColumns, parseRows } from './store.ts'
import type { StoredFormat, InsertOptions, QueryOptions, QuerySettings, Store, StreamFormat } from './store.ts'

export interface ServerOptions {
  /** URL such as `http://clickhouse:8123`. */
  readonly url: string
  readonly database: string
  readonly username?: string
  readonly password?: string
  /** Certificates for https. */
  readonly tls?: ServerTls
}

/** The certificate authority of the server, and the client certificate with its key, in PEM. */
export interface ServerTls {
  readonly ca: Buffer
  readonly client?: { readonly cert: Buffer; readonly key: Buffer }
}

/** Opens a ClickHouse server over HTTP. Creates the database if it does not exist. */
export async function openServerStore({ url, database, username, password, tls }: ServerOptions): Promise<Store> {
  const access = {
    url,
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(tls ? { tls: { ca_cert: tls.ca, ...tls.client } } : {}),
  }
  await createDatabase(createClient(access), database)
  const client = createClient({
    ...access,
    database,
    application: 'takt',
    compression: { response: true, request: true },
    request_timeout: 300_000,
    max_open_connections: 20,
    // Errors are thrown, so the client need not log them.
    log: { level: ClickHouseLogLevel.OFF },
    // Parameters such as arrays of machines can exceed the maximum length of a URL.
    use_multipart_params_auto: true,
    clickhouse_settings: clientSettings(commonSettings),
  })
  return {
    kind: 'server',
    database,
    query: async <Row>(sql: Sql, options: QueryOptions = {}) =>
      parseRows<Row>(await read(client, sql, 'JSONEachRow', options)),
    answer: async (sql, options = {}) => parseAnswer(await read(client, sql, 'JSONColumnsWithMetadata', options)),
    columns: async <Columns extends readonly unknown[][]>(sql: Sql, options: QueryOptions = {}) =>
      parseColumns<Columns>(await read(client, sql, 'JSONColumnsWithMetadata', options)),
    numbers: async (sql, names, options = {}) => parseNative(await readNative(client, sql, options), names),
    stream: (sql, format, options = {}) => stream(client, sql, format, options),
    writeFile: (sql, format, path, options = {}) => writeFile(client, sql, format, path, options),
    insert: (table, columns, lines, options = {}) =>
      insert(client, { table, columns, format: 'JSONCompactEachRow', values: lines }, options),
    insertNative: (table, { columns, bytes }, options = {}) =>
      insert(client, { table, columns, format: 'Native', values: bytes }, options),
    command: (sql, options = {}) => {
      const { query, query_params } = render(sql)
      return attempt(query, options.signal, async () => {
        await client.command({ query, query_params, ...parameters(options) })
      })
    },
    writeCount: () => null,
    ping: () =>
      attempt('ping', undefined, async () => {
        const answer = await client.ping()
        if (!answer.success) throw answer.error
      }),
    close: () => client.close(),
  }
}

interface InsertedRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly format: string
  readonly values: string | Buffer
}

async function insert(
  client: ClickHouseClient,
  { table, columns, format, values }: InsertedRows,
  options: InsertOptions,
): Promise<void> {
  const query = `INSERT INTO ${databaseName(table)} (${columns.map(databaseName).join(', ')}) FORMAT ${format}`
  await attempt(query, options.signal, async () => {
    if (values.length === 0) return
    const body = Readable.from([values], { objectMode: false })
    await withResponseTimeout(options, async given => {
      const { stream } = await client.exec({ query, values: body, ...given })
      await text(stream)
    })
  })
}

async function createDatabase(client: ClickHouseClient, database: string): Promise<void> {
  const query = `CREATE DATABASE IF NOT EXISTS ${databaseName(database)}`
  try {
    await attempt(query, undefined, () => client.command({ query }))
  } finally {
    await client.close()
  }
}

async function read(client: ClickHouseClient, sql: Sql, format: DataFormat, options: QueryOptions): Promise<string> {
  const { query, query_params } = render(sql)
  return attempt(query, options.signal, async () => {
    // The server sends the result when it is complete, so that a late error is reported, and not a truncated result.
    return await withResponseTimeout(options, async ({ clickhouse_settings, ...others }) => {
      const settings = { ...clickhouse_settings, wait_end_of_query: 1 as const }
      const result = await client.query({ query, query_params, format, clickhouse_settings: settings, ...others })
      return await result.text()
    })
  })
}

async function readNative(client: ClickHouseClient, sql: Sql, options: QueryOptions): Promise<Buffer> {
  return withCompleteResponse(client, sql, 'Native', options, bytesOf)
}

async function writeFile(
  client: ClickHouseClient,
  sql: Sql,
  format: StoredFormat,
  path: string,
  options: QueryOptions,
) {
  await withCompleteResponse(client, sql, format, options, answer =>
    pipeline(answer, createWriteStream(path, { flags: 'wx', flush: true })),
  )
}

/**
 * Runs a query and passes on its response. The server sends the result when it is complete, so that a late error is
 * reported, and not a truncated result.
 */
async function withCompleteResponse<Result>(
  client: ClickHouseClient,
  sql: Sql,
  format: string,
  options: QueryOptions,
  use: (answer: Readable) => Promise<Result>,
): Promise<Result> {
  const { query, query_params } = render(sql)
  return attempt(query, options.signal, async () => {
    return await withResponseTimeout(options, async ({ clickhouse_settings, ...others }) => {
      const settings = { ...clickhouse_settings, wait_end_of_query: 1 as const }
      const text = `${query}\nFORMAT ${format}`
      const answer = await client.exec({ query: text, query_params, clickhouse_settings: settings, ...others })
      return await use(answer.stream)
    })
  })
}

async function* stream(client: ClickHouseClient, sql: Sql, format: StreamFormat, options: QueryOptions) {
  const { query, query_params } = render(sql)
  try {
    const answer = await client.exec({ query: `${query}\nFORMAT ${format}`, query_params, ...parameters(options) })
    const chunks: AsyncIterable<Buffer> = answer.stream
    yield* chunks
  } catch (error) {
    throw toStoreError(error, query, options.signal)
  }
}

/**
 * Timeout of a response, ms: a server that does not respond must not block for `request_timeout`, which the longest
 * statement needs.
 */
const responseTimeoutMs = 60_000

/**
 * Limits the time of a response. A timeout is reported as a network error, which is retried, and not as a cancellation
 * by the caller.
 */
async function withResponseTimeout<T>(options: QueryOptions, ask: (given: Parameters) => Promise<T>): Promise<T> {
  return await withSignals([options.signal, AbortSignal.timeout(responseTimeoutMs)], signal =>
    ask(parameters({ ...options, signal })),
  )
}

interface Parameters {
  readonly clickhouse_settings: ClickHouseSettings
  readonly abort_signal?: AbortSignal
}

function parameters(options: QueryOptions): Parameters {
  const { signal } = options
  return { clickhouse_settings: clientSettings(settingsOf(options)), ...(signal && { abort_signal: signal }) }
}

/** The client's type requires a number or a string depending on the setting, but it sends both in the same form. */
function clientSettings(settings: QuerySettings): ClickHouseSettings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return settings as unknown as ClickHouseSettings
}
