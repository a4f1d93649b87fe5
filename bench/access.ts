/**
 * Measures the lookup of a caller and a read of the audit trail in a large installation:
 * `node --import tsx bench/access.ts`
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAudit } from '../clickhouse/projections/audit.ts'
import { readCredentials } from '../clickhouse/projections/credentials.ts'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { migrate } from '../clickhouse/migrations/migrate.ts'
import { sql } from '../clickhouse/sql/sql.ts'

const path = mkdtempSync(join(tmpdir(), 'takt-bench-access-'))
const store = await openEmbeddedStore({ path, database: 'bench', reportClients: 2 })
await migrate(store)

// The view derives credentials from them.
await store.command(sql`
  INSERT INTO records
  SELECT 'c', ['key', 'user', 'session'][number % 3 + 1], toString(number), 0,
    toJSONString(map('id', toString(number), 'hash', lower(hex(SHA256(toString(number)))), 'email', concat(toString(number), '@plant.example'))), 0, number
  FROM numbers(100000)`)
await store.command(sql`
  INSERT INTO audit
  SELECT 'c', intDiv(number, 1000), number % 1000, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number, toString(number % 10), 'key', 'ERP',
    'jobOperation.put', 'jobOperation', toString(number), ['dueAt'], '{}', toJSONString(map('jobName', hex(SHA256(toString(number))), 'description', repeat('x', 300)))
  FROM numbers(1000000)`)

await report('a key of 100,000 keys, users and sessions', 200, index => readCredentials(store, [keyHash(index)]))
await report('a session and its user', 200, index => readCredentials(store, [String(index * 37), String(index * 91)]))
await report('a hundred keys at once', 50, index =>
  readCredentials(
    store,
    Array.from({ length: 100 }, (_, i) => keyHash(index * 100 + i)),
  ),
)
await report('the newest 100 of 1,000,000 changes', 30, () => readAudit(store, 'c', {}))
await report('the changes of one record', 30, index => readAudit(store, 'c', { id: String(index * 1000) }))

await store.close()
rmSync(path, { recursive: true, force: true })

function keyHash(index: number): string {
  return createHash('sha256')
    .update(String(index * 3))
    .digest('hex')
}

async function report(what: string, times: number, ask: (index: number) => Promise<unknown>): Promise<void> {
  await ask(0)
  const tookMs: number[] = []
  for (let index = 0; index < times; index++) {
    const startMs = performance.now()
    await ask(index)
    tookMs.push(performance.now() - startMs)
  }
  const [p50, p95] = [0.5, 0.95].map(share => tookMs.sort((a, b) => a - b)[Math.floor(times * share)] ?? 0)
  console.log(`${what}: p50 ${p50?.toFixed(1)} ms, p95 ${p95?.toFixed(1)} ms`)
}
