/**
 * Measures the cost of historic samples: the first samples of machines are dated 2010, in an embedded service. It prints the time until the
 * reports contain them and until their day documents are built, CPU time and disk space, and the largest lag of the present in the meantime.
 * `node --import tsx bench/late-data.ts [year = 2010] [machines = 1]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../test/support/child-service.ts'
import { readAs } from '../test/support/read-as.ts'
import { bytesOf } from './ingest/disk.ts'
import { addMachines } from './support/machines.ts'
import { cpuOf, insertCounts, insertsSince } from './support/usage.ts'

const [year = 2010, count = 1] = process.argv.slice(2).map(Number)
const maxMs = 120_000 + 20_000 * count
/** Day documents are built one statement after the other: the build is complete when none was built for this time. */
const quietMs = 10_000

interface Health {
  readonly lag: { readonly records: number }
  readonly liveLag: { readonly seconds: number }
}

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
const usage = () => ({ bytes: bytesOf(dataDir), cpu: cpuOf(service.pid) })
try {
  const machines = await addMachines(service, count)
  await service.settled()
  const [before, inserts] = [usage(), await insertCounts(service)]
  const startedMs = performance.now()
  const elapsedS = () => (performance.now() - startedMs) / 1_000
  const sample = { timestamp: `${year}-01-01T00:00:00Z`, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
  for (const machineId of machines) {
    const { body } = await service.call('POST', '/ingest/samples', { machineId, samples: [sample] })
    if (readAs<{ accepted: number }>(body).accepted !== 1) throw new Error(JSON.stringify(body))
  }
  let behind = 0
  for (;;) {
    const { lag, liveLag } = readAs<Health>((await service.call('GET', '/health')).body)
    behind = Math.max(behind, liveLag.seconds)
    if (lag.records === 0) break
    if (performance.now() - startedMs > maxMs) throw new Error(`not in the reports after ${elapsedS()} s`)
    await sleep(200)
  }
  console.log(`in the reports after  ${elapsedS().toFixed(1)} s`)
  const then = usage()
  printCpu(before.cpu, then.cpu)
  const made = insertsSince(inserts, await insertCounts(service)).map(([table, times]) => `${table} ${times}`)
  console.log(`inserts               ${made.join(', ')}`)
  console.log(`on disk               ${((then.bytes - before.bytes) / 1e6).toFixed(1)} MB`)
  console.log(`lag of the present    at most ${behind} s`)
  const { lastS, cpu } = await dayDocuments()
  console.log(`day documents after   ${lastS.toFixed(1)} s`)
  printCpu(then.cpu, cpu)
  console.log(`on disk with them     ${((bytesOf(dataDir) - before.bytes) / 1e6).toFixed(1)} MB`)

  /** The instant of the last day document, and the CPU time up to then. */
  async function dayDocuments() {
    const covered = async () => (await insertCounts(service)).get('day_coverage')
    let last = { count: await covered(), lastS: elapsedS(), cpu: cpuOf(service.pid) }
    while ((elapsedS() - last.lastS) * 1_000 < quietMs) {
      await sleep(1_000)
      const now = await covered()
      if (now !== last.count) last = { count: now, lastS: elapsedS(), cpu: cpuOf(service.pid) }
    }
    return last
  }
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

type Cpu = ReturnType<typeof cpuOf>

function printCpu(before: Cpu, { all, threads }: Cpu): void {
  console.log(`CPU                   ${((all - before.all) / 1e6).toFixed(1)} s`)
  for (const [name, cpuUs] of threads) {
    const own = (cpuUs - (before.threads.get(name) ?? 0)) / 1e6
    if (own >= 0.1) console.log(`  thread ${name.padEnd(14)} ${own.toFixed(1)} s`)
  }
}
