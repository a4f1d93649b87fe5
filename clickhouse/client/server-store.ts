import { withSignals } from '../../shared/async/join-signals.ts'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ClickHouseClient, ClickHouseSettings, QueryParams } from '@clickhouse/client'
import { Readable } from 'node:stream'
import { createWriteStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { bytesOf } from './bytes-of.ts'
import { commonSettings, settingsOf } from './settings.ts'
import { databaseName, inline, render } from '../sql/sql.ts'
import type { RenderedQuery, Sql } from '../sql/sql.ts'
import { attempt, toStoreError } from './store-error.ts'
import { readsOf } from './store.ts'
import type { InsertOptions, QueryOptions, QuerySettings, Store, StreamFormat } from './store.ts'

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
    clickhouse_settings: clientSettings(commonSettings),
  })
  const execute = async ({ query, ...request }: ReadRequest, format: string): Promise<Readable> =>
    (await client.exec({ ...request, query: `${query}\nFORMAT ${format}` })).stream
  return {
    kind: 'server',
    database,
    ...readsOf({
      text: (sql, format, options) =>
        read(sql, options, async request => (await client.query({ ...request, format })).text()),
      native: (sql, options) => read(sql, options, async request => bytesOf(await execute(request, 'Native'))),
    }),
    stream: (sql, format, options = {}) => stream(client, sql, format, options),
    writeFile: (sql, format, path, options = {}) =>
      read(sql, options, async request =>
        pipeline(await execute(request, format), createWriteStream(path, { flags: 'wx', flush: true })),
      ),
    insert: (table, columns, lines, options = {}) =>
      insert(client, { table, columns, format: 'JSONCompactEachRow', values: lines }, options),
    insertNative: (table, { columns, bytes }, options = {}) =>
      insert(client, { table, columns, format: 'Native', values: bytes }, options),
    command: (sql, options = {}) => {
      const { placeholders, request } = statementOf(sql)
      return attempt(placeholders, options.signal, async () => {
        await client.command({ ...request, ...parameters(options) })
      })
    },
    writeCount: () => null,
    ping: () =>
      attempt('ping', undefined, async () => {
        const result = await client.ping()
        if (!result.success) throw result.error
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
    await withResponseTimeout(options, async limits => {
      const { stream } = await client.exec({ query, values: body, ...limits })
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

/**
 * Maximum length of the parameters of a statement in its URL, UTF-16 units without escapes: proxies accept URLs of about
 * 8 KB, and ClickHouse rejects a parameter above 128 KB (`http_max_field_value_size`), also in a form.
 */
const maxParametersLength = 2_048

interface Statement {
  /** The SQL without the values of its parameters, for errors. */
  readonly placeholders: string
  readonly request: RenderedQuery
}

/** Renders a statement. Long parameters are literals in its text, which the client sends as the body. */
function statementOf(sql: Sql): Statement {
  const bound = render(sql)
  const request = isShort(bound) ? bound : { query: inline(sql), query_params: {} }
  return { placeholders: bound.query, request }
}

function isShort({ query_params }: RenderedQuery): boolean {
  let length = 0
  for (const value of Object.values(query_params))
    for (const item of typeof value === 'object' ? value : [value]) {
      length += String(item).length + 1
      if (length > maxParametersLength) return false
    }
  return true
}

type ReadRequest = Pick<QueryParams, 'query' | 'query_params' | 'clickhouse_settings' | 'abort_signal'>

/** The server sends the result when it is complete, so that a late error is reported, and not a truncated result. */
async function read<Result>(
  sql: Sql,
  options: QueryOptions,
  send: (request: ReadRequest) => Promise<Result>,
): Promise<Result> {
  const { placeholders, request } = statementOf(sql)
  return attempt(placeholders, options.signal, () =>
    withResponseTimeout(options, async ({ clickhouse_settings, ...signal }) => {
      const settings = { ...clickhouse_settings, wait_end_of_query: 1 as const }
      return await send({ ...request, clickhouse_settings: settings, ...signal })
    }),
  )
}

async function* stream(client: ClickHouseClient, sql: Sql, format: StreamFormat, options: QueryOptions) {
  const { placeholders, request } = statementOf(sql)
  const query = `${request.query}\nFORMAT ${format}`
  try {
    const result = await client.exec({ ...request, query, ...parameters(options) })
    const chunks: AsyncIterable<Buffer> = result.stream
    yield* chunks
  } catch (error) {
    throw toStoreError(error, placeholders, options.signal)
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
async function withResponseTimeout<T>(options: QueryOptions, request: (limits: Parameters) => Promise<T>): Promise<T> {
  return await withSignals([options.signal, AbortSignal.timeout(responseTimeoutMs)], signal =>
    request(parameters({ ...options, signal })),
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
