import { createChdbConnection } from 'chdb/connection'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import { sql, uint32 } from '../../clickhouse/sql/sql.ts'
import { StoreError } from '../../clickhouse/client/store.ts'

/*
 * Runs under a limit of the size of files: a part of 1,000 texts is below it, one of 4,000 above. Prints which texts are
 * readable after a merge, inserts and a file with failed writes, and the reasons of detached parts.
 */
const [path = ''] = process.argv.slice(2)
/** Time in which a repair is complete. */
const repairedWithinMs = 60_000

const store = await openEmbeddedStore({ path, database: 'takt' })
await store.command(
  sql`CREATE TABLE noise (id UInt32, text String) ENGINE = MergeTree ORDER BY id
      SETTINGS old_parts_lifetime = 120, max_bytes_to_merge_at_max_space_in_pool = 1`,
)
for (const id of [1, 2, 3, 4]) await insertByStatement(id, 1000)

// Like a merge in the background, this statement does not pass the store.
await createChdbConnection({ path }).chdb.queryAsync('OPTIMIZE TABLE takt.noise FINAL')
const isDamaged = await readTexts().then(
  () => false,
  (error: unknown) => error instanceof StoreError,
)
const afterMerge = await untilSuccess(readTexts)

const rejections = [await rejectionOf(insertByStatement(5, 4000))]
await repaired()
await insertByStatement(6, 1000)
rejections.push(await rejectionOf(insertRows(7, 4000)))
await repaired()
await insertRows(8, 1000)
rejections.push(await rejectionOf(writeTexts(4000)))
await repaired()
const afterInserts = await readTexts()

const detached = await store.query<{ reason: string }>(sql`SELECT reason FROM system.detached_parts`)
process.stdout.write(JSON.stringify({ isDamaged, afterMerge, rejections, afterInserts, detached }))
await store.close()

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

/** Resolves when the store accepts commands again. */
async function repaired(): Promise<void> {
  await untilSuccess(() => store.command(sql`SELECT 1`))
}

async function untilSuccess<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const untilMs = performance.now() + repairedWithinMs; ; await sleep(100)) {
    try {
      return await call()
    } catch (error) {
      if (performance.now() > untilMs) throw error
    }
  }
}
