import { createClient } from '@clickhouse/client'
import type { ClickHouseClient } from '@clickhouse/client'
import { Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import type { ChdbConnection } from 'chdb/connection'
import { unlessAborted } from '../../shared/async/waiting.ts'
import { bytesOf } from './bytes-of.ts'
import { countFailedWrites, FailedWrites } from './failed-writes.ts'
import { minFreeBytes } from './free-space.ts'
import { InsertFiles } from './insert-files.ts'
import { createPool } from './pool.ts'
import type { Pool } from './pool.ts'
import { commonSettings, settingEntries, settingsOf, settingsText } from './settings.ts'
import { databaseName, inline, join, quote, rawSql, render } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { attempt, toStoreError } from './store-error.ts'
import { WriteCounts } from './write-counts.ts'
import { readsOf } from './store.ts'
import type { InsertOptions, QueryOptions, QuerySettings, Store, Workload } from './store.ts'

export interface EmbeddedOptions {
  readonly path: string
  readonly database: string
  /** Number of reports that are computed in parallel. */
  readonly reportClients?: number
  /** Interval of checks for failed writes, ms; see `FailedWrites`. */
  readonly checkWritesEveryMs?: number
  /** Called when writes of the engine have failed, with their number. */
  readonly onFailedWrites?: (count: number) => void
}

/**
 * Opens ClickHouse in this process (chDB) with its data under `path`, which only one process may use. Creates the
 * database if it does not exist.
 * The engine's binding (chdb 3.4) has four limits. Queries of one client run one after the other, so each workload has
 * its own clients. A query takes a thread of Node's pool until it ends, and so does a write of the log: `npm start` and
 * the image set UV_THREADPOOL_SIZE, by default 4, to more than the number of clients. SET outlives its query, so settings
 * of a query are a clause of the query. Parameters of parallel clients would mix, so the binding runs all queries with
 * parameters one after the other; therefore parameters are rendered as literals.
 */
export async function openEmbeddedStore({
  path,
  database,
  reportClients = 3,
  checkWritesEveryMs = 10_000,
  onFailedWrites = () => undefined,
}: EmbeddedOptions): Promise<Store> {
  const engineOfProcess = openEngine(path)
  const slots = (count: number) => Array.from({ length: count }, () => createSlot(() => openMember(path, database)))
  const close = (slot: Slot) => slot.close()
  const pools: Pools = {
    write: createPool(slots(writeClients), close),
    records: createPool(slots(recordClients), close),
    lookup: createPool(slots(lookupClients), close),
    process: createPool(slots(1), close),
    report: createPool(slots(reportClients), close),
    counts: createPool(slots(1), close),
  }
  // Further clients are opened when they are first used: a client takes 4 ms of CPU time.
  await useMember(pools.write, async () => undefined)
  const writes = new WriteCounts()
  // Deletes left-over files, so this process must already have the engine's lock.
  const files = await InsertFiles.open(path)
  const insertInto = (table: string, options: InsertOptions, run: (member: Member) => Promise<unknown>) =>
    writes.around(table, () => failedWrites.around(() => useMember(pools[options.workload ?? 'write'], run)))
  let pingedAtMs = -Infinity
  const store: Store = {
    kind: 'embedded',
    database,
    ...readsOf({
      text: async (sql, format, options) => (await read(pools, sql, format, options)).toString(),
      native: (sql, options) => read(pools, sql, 'Native', options),
    }),
    stream: (sql, format, options = {}) => stream(pools, sql, format, options),
    writeFile: async (sql, format, path, options = {}) => {
      const statement = join([sql, rawSql(`INTO OUTFILE ${quote(path)}`)], rawSql('\n'))
      await read(pools, statement, format, options, run => failedWrites.around(run))
    },
    insert: (table, columns, lines, options = {}) =>
      attempt(`INSERT INTO ${table}`, options.signal, async () => {
        const values = typeof lines === 'string' ? Buffer.from(lines) : lines
        if (values.length === 0) return
        const settings = Object.fromEntries(settingEntries(settingsOf(options)))
        const insert = { table, columns, values, format: 'JSONCompactEachRow' as const, settings }
        await insertInto(table, options, ({ connection }) => connection.chdb.rawInsert(insert))
      }),
    insertNative: (table, { columns, bytes, rows }, options = {}) => {
      const insert = `INSERT INTO ${databaseName(table)} (${columns.map(databaseName).join(', ')})`
      return attempt(insert, options.signal, async () => {
        if (rows === 0) return
        const settings = settingsText({ ...wholeBlocks, ...settingsOf(options) })
        await files.use(bytes, path => {
          // A SELECT from the file would be planned for each column.
          const statement = `${insert} FROM INFILE ${quote(path)} SETTINGS ${settings} FORMAT Native`
          return insertInto(table, options, ({ connection }) => connection.chdb.queryAsync(statement))
        })
      })
    },
    command: async (sql, options = {}) => {
      // A statement may write to any table.
      const around: Around = run => writes.around(null, () => failedWrites.around(run))
      await read(pools, sql, null, { workload: 'write', ...options }, around)
    },
    writeCount: tables => writes.of(tables),
    ping: async () => {
      if (performance.now() - pingedAtMs < pingEveryMs) return
      await attempt('SELECT 1', undefined, () =>
        useMember(pools.process, ({ client }) => client.command({ query: 'SELECT 1' })),
      )
      pingedAtMs = performance.now()
    },
    close: async () => {
      await failedWrites.close()
      const { counts, ...others } = pools
      await Promise.all(Object.values(others).map(pool => pool.close()))
      // Writes in progress count the failed ones at their end.
      await counts.close()
      engineOfProcess.close()
    },
  }
  const failedWrites = await FailedWrites.watch({
    count: () => useMember(pools.counts, ({ connection }) => countFailedWrites(connection)),
    checkEveryMs: checkWritesEveryMs,
    onFailure: onFailedWrites,
  })
  return store
}

/** Time after which the engine polls a table without work again, s; by default 0.1. An insert polls its table at once. */
const idleTableSleepS = 5

const engineOptions = [
  // By default, 40 idle tables take several times the CPU time (decision 124).
  `--background_processing_pool_thread_sleep_seconds_if_nothing_to_do=${idleTableSleepS}`,
  `--background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do=${idleTableSleepS}`,
  '--memory_worker_period_ms=1000',
  // Limits of the caches of mark positions: the engine does not remove the marks of deleted parts, so memory would grow
  // with the number of inserts, up to 5 GB.
  '--mark_cache_size=134217728',
  '--index_mark_cache_size=33554432',
  // The engine does not start an insert or a merge that would leave less space free.
  `--storage_configuration.disks.default.keep_free_space_bytes=${minFreeBytes}`,
  // Tables are attached whatever the number and size of damaged parts, which failed writes leave; see `FailedWrites`. By
  // default, 100 parts or 1 GB prevent it. The engine ignores the section without a value of its own.
  '--merge_tree=',
  `--merge_tree.max_suspicious_broken_parts=${Number.MAX_SAFE_INTEGER}`,
  `--merge_tree.max_suspicious_broken_parts_bytes=${Number.MAX_SAFE_INTEGER}`,
]

/**
 * Opens the engine of this process. The engine reads options only from the first connection, and stops with the last
 * one.
 */
export function openEngine(path: string): Pick<Session, 'close'> {
  return new Session(path, { connectionArgs: engineOptions })
}

/** Settings that keep a block whole: one thread inserts it, without splitting or combining it. */
const wholeBlocks = {
  max_threads: 1,
  max_insert_threads: 1,
  min_insert_block_size_rows: 0,
  min_insert_block_size_bytes: 0,
  max_block_size: 1_000_000,
} as const satisfies QuerySettings

/** A client and its connection, which also supports raw inserts without a copy, and streams. */
interface Member {
  readonly client: ClickHouseClient
  readonly connection: ChdbConnection
}

/**
 * Minimum interval between pings, ms. An engine in this process cannot become unreachable, and a statement takes a
 * millisecond of CPU time, so frequent checks of health reuse the last success.
 */
const pingEveryMs = 5_000

/** The inserts of a batch run in parallel: its samples, their minutes and its documents. An insert mostly waits for the disk. */
const writeClients = 3
/** A change of records is written to two tables in parallel: the table of records and the audit trail. */
const recordClients = 2
/** The start of a job run looks up the run and its operation in parallel. */
const lookupClients = 2

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

async function openMember(path: string, database: string): Promise<Member> {
  const connection = createChdbConnection({ path })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both packages have a copy of the same type
  const client = createClient({ connection: connection as unknown as ClientConnection })
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${databaseName(database)}` })
  await client.command({ query: `USE ${databaseName(database)}` })
  await client.command({ query: `SET ${settingsText(commonSettings)}` })
  return { client, connection }
}

/**
 * Holds a client that is opened when first used. After a failure the client is discarded and a new one opened: output
 * of a failed query remains in its connection and would precede the next result there (chdb 3.4), which may be of
 * another company.
 */
interface Slot {
  member(): Promise<Member>
  close(): Promise<void>
}

/** `counts`: of failed writes, which would otherwise wait for other queries. */
type Pools = Record<Workload | 'counts', Pool<Slot>>

/** Runs a statement, with work before or after it. */
type Around = (run: () => Promise<Buffer>) => Promise<Buffer>

function createSlot(open: () => Promise<Member>): Slot {
  let member: Member | null = null
  const close = async () => {
    const old = member
    member = null
    await old?.client.close()
  }
  return { member: async () => (member ??= await open()), close }
}

/** Runs a call with a client of the pool. */
async function useMember<Result>(pool: Pool<Slot>, work: (member: Member) => Promise<Result>): Promise<Result> {
  return pool.use(async slot => {
    try {
      return await work(await slot.member())
    } catch (error) {
      await slot.close()
      throw error
    }
  })
}

/** Runs a SELECT, or a command without a format. */
async function read(
  pools: Pools,
  sql: Sql,
  format: string | null,
  options: QueryOptions,
  around: Around = run => run(),
): Promise<Buffer> {
  const { signal, workload = 'report' } = options
  return attempt(render(sql).query, signal, () => {
    const run = () =>
      useMember(pools[workload], async ({ client }) => {
        signal?.throwIfAborted() // the query may have waited for a client
        const { stream } = await client.exec({ query: withClauses(sql, format, options) })
        return bytesOf(stream)
      })
    const result = around(run)
    // A query of the engine cannot be stopped: the caller stops waiting, and the client is in use until the query ends.
    return signal === undefined ? result : unlessAborted(result, signal)
  })
}

async function* stream(pools: Pools, sql: Sql, format: string, options: QueryOptions) {
  const pool = pools[options.workload ?? 'report']
  const slot = await pool.acquire()
  let isWhole = false
  try {
    const member = await slot.member()
    const query = withClauses(sql, null, options)
    const streamOptions = { format, ...(options.signal ? { signal: options.signal } : {}) }
    for await (const chunk of member.connection.chdb.queryStream(query, streamOptions)) yield Buffer.from(chunk.raw())
    isWhole = true
  } catch (error) {
    throw toStoreError(error, render(sql).query, options.signal)
  } finally {
    // The rest of an incomplete result, as after an error or if the consumer stops early, remains in the connection.
    if (!isWhole) await slot.close()
    pool.release(slot)
  }
}

function withClauses(sql: Sql, format: string | null, options: QueryOptions): string {
  const settings = settingsText(settingsOf(options))
  return [inline(sql), format === null ? '' : `FORMAT ${format}`, settings === '' ? '' : `SETTINGS ${settings}`]
    .filter(clause => clause !== '')
    .join('\n')
}
