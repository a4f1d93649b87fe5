/**
 * Measures changes of records in an embedded service: machines created one after the other, and 1,000 over
 * 32 connections; with the CPU time of each change by thread, and the inserts into the store.
 * `node --import tsx bench/records.ts [machines = 1000] [connections = 32]`
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../test/support/child-service.ts'
import { Times } from './reports/measure.ts'
import { cpuOf, insertCounts, insertsSince } from './support/usage.ts'

const [machines = 1000, connections = 32] = process.argv.slice(2).map(Number)

const dataDir = mkdtempSync(join(tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
try {
  await measure('one after the other', 50, 1)
  await measure(`over ${connections} connections`, machines, connections)
} finally {
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure(name: string, count: number, lanes: number): Promise<void> {
  const times = new Times()
  let left = count
  const inserts = await insertCounts(service)
  const [cpu, startedMs] = [cpuOf(service.pid), performance.now()]
  const lane = async () => {
    while (left-- > 0) {
      const id = randomUUID()
      const putMs = performance.now()
      const { status } = await service.call('PUT', `/machines/${id}`, { name: id })
      if (status >= 300) throw new Error(`PUT /machines answered ${status}`)
      times.add(performance.now() - putMs)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const wallMs = performance.now() - startedMs
  const cpuAfter = cpuOf(service.pid)
  const each = (us: number) => (us / 1000 / count).toFixed(1)
  console.log(
    `${name}: ${count} in ${(wallMs / 1000).toFixed(2)} s, ${times.toString()}, ${each(cpuAfter.all - cpu.all)} ms of CPU each`,
  )
  const threads = [...cpuAfter.threads].map(([thread, us]) => [thread, us - (cpu.threads.get(thread) ?? 0)] as const)
  const most = threads.toSorted(([, a], [, b]) => b - a).slice(0, 6)
  console.log(`  CPU by thread: ${most.map(([thread, us]) => `${thread} ${each(us)}`).join(', ')}`)
  const made = insertsSince(inserts, await insertCounts(service))
  console.log(`  inserts: ${made.map(([table, inserted]) => `${table} ${inserted}`).join(', ')}`)
}
