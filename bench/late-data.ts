/**
 * Measures the cost of one sample of long ago: a machine's first sample is dated 2010, in the service as it is started, embedded. It prints how long it
 * takes until the reports have it, what it takes of CPU and disk, and how far behind the present was meanwhile.
 * `node --import tsx bench/late-data.ts [year = 2010]`
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../test/support/child-service.ts'
import { readAs } from '../test/support/read-as.ts'
import { bytesOf } from './ingest/disk.ts'
import { cpuOf, insertCounts, insertsSince } from './support/usage.ts'

const [year = 2010] = process.argv.slice(2).map(Number)
const mostMs = 120_000

interface Health {
  readonly lag: { readonly records: number }
  readonly liveLag: { readonly seconds: number }
}

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
try {
  const machineId = randomUUID()
  await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe', maxSampleAgeDays: 7_300 })
  await service.settled()
  const [bytes, before] = [bytesOf(dataDir), cpuOf(service.pid)]
  const inserts = await insertCounts(service)
  const startedMs = performance.now()
  const sample = { timestamp: `${year}-01-01T00:00:00Z`, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
  const { body } = await service.call('POST', '/ingest/samples', { machineId, samples: [sample] })
  if (readAs<{ accepted: number }>(body).accepted !== 1) throw new Error(JSON.stringify(body))
  let behind = 0
  for (;;) {
    const { lag, liveLag } = readAs<Health>((await service.call('GET', '/health')).body)
    behind = Math.max(behind, liveLag.seconds)
    if (lag.records === 0 || performance.now() - startedMs > mostMs) break
    await sleep(200)
  }
  const elapsedMs = performance.now() - startedMs
  console.log(`in the reports after  ${elapsedMs > mostMs ? 'more than ' : ''}${(elapsedMs / 1_000).toFixed(1)} s`)
  const { all, threads } = cpuOf(service.pid)
  console.log(`CPU                   ${((all - before.all) / 1e6).toFixed(1)} s`)
  for (const [name, cpuUs] of threads) {
    const own = (cpuUs - (before.threads.get(name) ?? 0)) / 1e6
    if (own >= 0.1) console.log(`  thread ${name.padEnd(14)} ${own.toFixed(1)} s`)
  }
  const made = insertsSince(inserts, await insertCounts(service)).map(([table, count]) => `${table} ${count}`)
  console.log(`inserts               ${made.join(', ')}`)
  console.log(`on disk               ${((bytesOf(dataDir) - bytes) / 1e6).toFixed(1)} MB`)
  console.log(`the present behind    at most ${behind} s`)
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
