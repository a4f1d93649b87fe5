import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import { sql } from '../../clickhouse/sql/sql.ts'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'

/*
 * Runs as many long statements as the clients of the store allow, but for look-ups, and meanwhile a look-up and a write of
 * the log. Prints whether a long statement has ended before them.
 */
const [folder = ''] = process.argv.slice(2)
const store = await openEmbeddedStore({ path: join(folder, 'store'), database: 'takt' })
const log = await openEmbeddedLog({ path: join(folder, 'log') })
await log.createTopics([{ name: 'written', partitions: 1, retentionMs: null }])
// Opens the client of look-ups.
await store.columns(sql`SELECT 1`, { workload: 'lookup' })

const workloads = ['report', 'report', 'report', 'process', 'write', 'write', 'records', 'records'] as const
const long = workloads.map(workload => store.columns(sql`SELECT sleep(3)`, { workload }))
let hasEnded = false
const first = Promise.race(long).then(() => (hasEnded = true))
// Until the clients are open and all long statements have begun, which takes less than a second.
await sleep(1_000)
await Promise.all([
  store.columns(sql`SELECT 1`, { workload: 'lookup' }),
  log.append('written', [{ key: null, value: Buffer.from('a') }]),
])
process.stdout.write(JSON.stringify({ hasEnded }))
await Promise.all([first, ...long])
await log.close()
await store.close()
