import { createChdbConnection } from 'chdb/connection'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import { sql, uint32 } from '../../clickhouse/sql/sql.ts'
import { hourMs } from '../../shared/time/units.ts'
import { type Store, StoreError } from '../../clickhouse/client/store.ts'

/*
 * Runs under a limit of the size of files: a part of 1,000 texts is below it, one of 4,000 above. Prints which texts are
 * readable after a merge with failed writes and a restart of the engine, the rejections of inserts and a file with
 * failed writes, which texts are readable after the next restart, and the reasons of detached parts.
 */
const [path = ''] = process.argv.slice(2)

let store = await open()
await store.command(
  sql`CREATE TABLE noise (id UInt32, text String) ENGINE = MergeTree ORDER BY id
      SETTINGS old_parts_lifetime = 120, max_bytes_to_merge_at_max_space_in_pool = 1`,
)
for (const id of [1, 2, 3, 4]) await insertByStatement(id, 1000)

// Like a merge in the background, this statement does not pass the store.
const connection = createChdbConnection({ path })
await connection.chdb.queryAsync('OPTIMIZE TABLE takt.noise FINAL')
await connection.close()
const isDamaged = await readTexts().then(
  () => false,
  (error: unknown) => error instanceof StoreError,
)
const rejections = [await rejectionOf(store.command(sql`SELECT 1`))]
await restart()
const afterMerge = await readTexts()

rejections.push(await rejectionOf(insertByStatement(5, 4000)))
await untilReported()
await insertByStatement(6, 1000)
rejections.push(await rejectionOf(insertRows(7, 4000)))
await untilReported()
await insertRows(8, 1000)
rejections.push(await rejectionOf(writeTexts(4000)))
await restart()
const afterInserts = await readTexts()

const detached = await store.query<{ reason: string }>(sql`SELECT reason FROM system.detached_parts`)
process.stdout.write(JSON.stringify({ isDamaged, afterMerge, rejections, afterInserts, detached }))
await store.close()

function open(): Promise<Store> {
  // Statements find the failed writes, at fixed places of this script.
  return openEmbeddedStore({ path, database: 'takt', checkWritesEveryMs: hourMs })
}

/** The engine stops with its last client. */
async function restart(): Promise<void> {
  await store.close()
  store = await open()
}

async function insertByStatement(id: number, count: number): Promise<void> {
  await store.command(sql`INSERT INTO noise SELECT ${uint32(id)}, randomString(500) FROM numbers(${uint32(count)})`)
}

async function insertRows(id: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => JSON.stringify([id, randomBytes(375).toString('base64')]))
  await store.insert('noise', ['id', 'text'], rows.join('\n'))
}

async function writeTexts(count: number): Promise<void> {
  await store.writeFile(sql`SELECT randomString(500) FROM numbers(${uint32(count)})`, 'Parquet', `${path}.parquet`)
}

/** Reads all files of all parts. */
async function readTexts(): Promise<readonly unknown[]> {
  return store.query(
    sql`SELECT id, count() AS texts, sum(length(reverse(text))) AS size FROM noise GROUP BY id ORDER BY id`,
  )
}

async function rejectionOf(insert: Promise<void>): Promise<unknown> {
  const error: unknown = await insert.catch((thrown: unknown) => thrown)
  return error instanceof StoreError ? { message: error.message, retryable: error.retryable } : error
}

/** Resolves when the store accepts statements again. */
async function untilReported(): Promise<void> {
  while ((await rejectionOf(store.command(sql`SELECT 1`))) !== undefined) await sleep(20)
}
