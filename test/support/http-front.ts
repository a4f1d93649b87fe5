import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { createChdbConnection } from 'chdb/connection'
import type { ChdbConnection } from 'chdb/connection'
import { databaseName, quote } from '../../clickhouse/sql/sql.ts'

export interface Front {
  readonly url: string
  readonly username: string
  readonly password: string
}

/**
 * The part of ClickHouse's HTTP interface that the real client uses, over chDB: queries in body or URL, parameters, settings,
 * gzip in both directions, streams, the summary, error codes, basic auth. One server per process, started on demand.
 * https://clickhouse.com/docs/interfaces/http
 */
export async function httpFront(chdbPath: string): Promise<Front> {
  server ??= await listen(chdbPath)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The front has no port')
  return { url: `http://127.0.0.1:${address.port}`, username, password }
}

/** Limits of a server: `http_max_uri_size` and `http_max_field_value_size`, bytes. */
const maxUriBytes = 1 << 20
const maxFieldBytes = 128 << 10
const username = 'takt'
const password = "p'w"
let server: Server | undefined

function listen(chdbPath: string): Promise<Server> {
  const created = createServer({ maxHeaderSize: 2 * maxUriBytes }, (request, response) => {
    answer(chdbPath, request, response).catch((error: unknown) => fail(response, error))
  })
  created.unref()
  return new Promise(resolve => {
    created.listen(0, '127.0.0.1', () => resolve(created))
  })
}

async function answer(chdbPath: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://front')
  if (url.href.length > maxUriBytes)
    throw new FrontError(1000, 'POCO_EXCEPTION', 'HTTP request URI invalid or too long')
  checkFields(url.search.split('&'))
  if (url.pathname === '/ping') {
    response.end('Ok.\n')
    return
  }
  if (request.headers.authorization !== `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`) {
    throw new FrontError(516, 'AUTHENTICATION_FAILED', 'takt: Authentication failed: password is incorrect')
  }
  const asked = await parse(request, url)
  const set = statementsOf(asked)
  const key = set.join('\n')
  const known = takeIdle(key)
  const connection = known ?? createChdbConnection({ path: chdbPath })
  try {
    if (!known) for (const statement of set) await connection.chdb.queryAsync(statement)
    await run(connection, asked, response)
    await keepIdle(key, connection)
  } catch (error) {
    // Its pending output would precede the next response.
    await connection.close()
    throw error
  }
}

function checkFields(fields: readonly string[]): void {
  if (fields.some(field => Buffer.byteLength(field) > maxFieldBytes))
    throw new FrontError(1000, 'POCO_EXCEPTION', 'HTML Form Exception: Field value too long')
}

/** Statements that apply the settings of a request to a connection. */
function statementsOf({ database, settings }: Asked): readonly string[] {
  const values = settings.map(([name, value]) => `${name} = ${quote(value)}`)
  return [
    ...(database === null ? [] : [`USE ${databaseName(database)}`]),
    ...(values.length === 0 ? [] : [`SET ${values.join(', ')}`]),
  ]
}

/**
 * Idle connections with their settings, the latest last. A request uses one with equal settings, since settings of one request must not
 * affect another. A new connection takes 2 ms of CPU, a third of a request.
 */
const idle: { readonly key: string; readonly connection: ChdbConnection }[] = []
const maxIdle = 8

function takeIdle(key: string): ChdbConnection | undefined {
  const at = idle.findLastIndex(each => each.key === key)
  return at < 0 ? undefined : idle.splice(at, 1)[0]?.connection
}

async function keepIdle(key: string, connection: ChdbConnection): Promise<void> {
  idle.push({ key, connection })
  if (idle.length > maxIdle) await idle.shift()?.connection.close()
}

interface Asked {
  readonly query: string
  readonly data: Buffer
  readonly database: string | null
  readonly settings: readonly (readonly [string, string])[]
  readonly gzip: boolean
  readonly waitEnd: boolean
  readonly queryId: string
}

/** URL parameters that are not settings. */
const notSettings = new Set([
  'query',
  'database',
  'query_id',
  'default_format',
  'session_id',
  'role',
  'enable_http_compression',
  'wait_end_of_query',
  'cancel_http_readonly_queries_on_client_close',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
])

async function parse(request: IncomingMessage, url: URL): Promise<Asked> {
  const sent = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
  const body = await buffer(sent)
  const inUrl = url.searchParams.get('query')
  const parameters = new Map(
    [...url.searchParams].flatMap(([name, value]) =>
      name.startsWith('param_') ? [[name.slice(6), value] as const] : [],
    ),
  )
  return {
    query: substitute(inUrl ?? body.toString(), parameters),
    data: inUrl === null ? Buffer.alloc(0) : body,
    database: url.searchParams.get('database'),
    settings: [...url.searchParams].filter(([name]) => !notSettings.has(name) && !name.startsWith('param_')),
    gzip:
      url.searchParams.get('enable_http_compression') === '1' &&
      String(request.headers['accept-encoding']).includes('gzip'),
    waitEnd: url.searchParams.get('wait_end_of_query') === '1',
    queryId: url.searchParams.get('query_id') ?? '',
  }
}

/** Parameters are escaped as in TSV; arrays contain the quotes of their items. */
function substitute(query: string, parameters: ReadonlyMap<string, string>): string {
  return query.replace(/\{(\w+):((?:[^{}']|'[^']*')+)\}/g, (all, name: string, type: string) => {
    const value = parameters.get(name)
    if (value === undefined) return all
    return `CAST(${quote(type.startsWith('Array') ? value : unescapeTsv(value))}, ${quote(type)})`
  })
}

const tsvEscapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', b: '\b', f: '\f' }

function unescapeTsv(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => tsvEscapes[char] ?? char)
}

async function run(connection: ChdbConnection, asked: Asked, response: ServerResponse): Promise<void> {
  const started = process.hrtime.bigint()
  response.setHeader('X-ClickHouse-Query-Id', asked.queryId)
  response.setHeader('X-ClickHouse-Timezone', 'UTC')
  const selected = /^([\s\S]*)\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(asked.query)
  if (selected === null || /^\s*INSERT/i.test(asked.query)) {
    const rows = await write(connection, asked)
    summarise(response, rows, started)
    response.end()
    return
  }
  const [, query = '', format = ''] = selected
  response.setHeader('X-ClickHouse-Format', format)
  response.setHeader('Content-Type', format.startsWith('JSON') ? 'application/json' : 'text/plain; charset=UTF-8')
  if (asked.gzip) response.setHeader('Content-Encoding', 'gzip')
  if (asked.waitEnd) {
    const result = await connection.chdb.queryAsync(asked.query)
    summarise(response, result.rowsRead, started)
    await send(Readable.from([Buffer.from(result.bytes())], { objectMode: false }), asked, response)
  } else {
    const chunks = connection.chdb.queryStream(query, { format })
    const first = await chunks[Symbol.asyncIterator]().next()
    summarise(response, 0, started)
    await send(Readable.from(bytes(first, chunks), { objectMode: false }), asked, response)
  }
}

type Chunks = ReturnType<ChdbConnection['chdb']['queryStream']>
type Chunk = { raw(): Uint8Array }

/** The first chunk is read before any header is sent, so that most errors have their status. */
async function* bytes(first: IteratorResult<Chunk>, rest: Chunks): AsyncGenerator<Buffer> {
  if (first.done) return
  yield Buffer.from(first.value.raw())
  for await (const chunk of rest) yield Buffer.from(chunk.raw())
}

async function send(body: Readable, asked: Asked, response: ServerResponse): Promise<void> {
  await (asked.gzip ? pipeline(body, createGzip(), response) : pipeline(body, response))
}

async function write(connection: ChdbConnection, { query, data }: Asked): Promise<number> {
  const isInsertOfData = /^\s*INSERT/i.test(query) && data.length > 0
  if (isInsertOfData && query.endsWith('FORMAT Native')) return writeNative(connection, query, data)
  const result = await connection.chdb.queryAsync(isInsertOfData ? `${query}\n${data.toString()}` : query)
  return result.rowsRead
}

/** chDB reads this format from files only. */
async function writeNative(connection: ChdbConnection, query: string, data: Buffer): Promise<number> {
  const path = join(tmpdir(), `takt-front-${randomUUID()}`)
  await writeFile(path, data)
  try {
    const from = `SELECT * FROM file(${quote(path)}, Native)`
    return (await connection.chdb.queryAsync(query.replace(/FORMAT Native$/, from))).rowsRead
  } finally {
    await rm(path)
  }
}

function summarise(response: ServerResponse, rows: number, started: bigint): void {
  const elapsed = process.hrtime.bigint() - started
  response.setHeader(
    'X-ClickHouse-Summary',
    JSON.stringify({ read_rows: String(rows), written_rows: String(rows), elapsed_ns: String(elapsed) }),
  )
}

class FrontError extends Error {
  override readonly name = 'FrontError'
  constructor(code: number, type: string, message: string) {
    super(`Code: ${code}. DB::Exception: ${message}. (${type}) (version 26.7.2.1)`)
  }
}

const httpStatuses: Readonly<Record<string, number>> = { 60: 404, 62: 400, 81: 404, 164: 403, 241: 500, 516: 403 }

function fail(response: ServerResponse, error: unknown): void {
  // As in a server: a started response can only be aborted.
  if (response.headersSent) {
    response.destroy()
    return
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1001'
  for (const name of ['Content-Encoding', 'X-ClickHouse-Format']) response.removeHeader(name)
  response.statusCode = httpStatuses[code] ?? 500
  response.setHeader('X-ClickHouse-Exception-Code', code)
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8')
  response.end(`${message}\n`)
}
