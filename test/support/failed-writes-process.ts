import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import { sql, uint32 } from '../../clickhouse/sql/sql.ts'
import { StoreError } from '../../clickhouse/client/store.ts'

/*
 * Runs under a limit of the size of files: a part of one insert is below it, a merged part above. Prints how many rows
 * are readable after the repair of a merge with failed writes, and the names of the reasons of detached parts.
 */
const [path = ''] = process.argv.slice(2)
const failures: number[] = []
const store = await openEmbeddedStore({ path, database: 'takt', onFailedWrites: count => failures.push(count) })
await store.command(
  sql`CREATE TABLE noise (id UInt32, text String) ENGINE = MergeTree ORDER BY id
      SETTINGS old_parts_lifetime = 120, max_bytes_to_merge_at_max_space_in_pool = 1`,
)
for (const id of [1, 2, 3, 4])
  await store.command(sql`INSERT INTO noise SELECT ${uint32(id)}, randomString(500) FROM numbers(1000)`)
await store.command(sql`OPTIMIZE TABLE noise FINAL`)
const isDamaged = await readTexts().then(
  () => false,
  (error: unknown) => error instanceof StoreError,
)
while (failures.length === 0) await sleep(100)
let found = await readTexts().catch(() => null)
while (found === null) {
  await sleep(100)
  found = await readTexts().catch(() => null)
}
const detached = await store.query<{ reason: string }>(sql`SELECT reason FROM system.detached_parts`)
process.stdout.write(JSON.stringify({ isDamaged, found, detached }))
await store.close()

/** Reads all files of all parts. */
async function readTexts(): Promise<readonly unknown[]> {
  return store.query(
    sql`SELECT id, count() AS texts, sum(length(reverse(text))) AS size FROM noise GROUP BY id ORDER BY id`,
  )
}
