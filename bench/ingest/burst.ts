/**
 * A burst: the samples that 5,000 machines stored during an interruption are sent together, 64 posts concurrently, to an embedded service:
 * `node --import tsx bench/ingest/burst.ts [samples=340000] [machines=5000]`. Prints the time until all samples are accepted and in the
 * reports, and the memory of the service before, at its peak, and a while after.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../../test/support/child-service.ts'
import { testKey } from '../../test/support/service.ts'
import { ask, startScript } from '../support/processes.ts'
import type { ClientOrder, ClientReport } from './client.ts'
import { addMachines } from '../support/machines.ts'
import { cpuOf, memoryOf } from '../support/usage.ts'

const [samples = 340_000, machineCount = 5_000] = process.argv.slice(2).map(Number)
const afterMs = 30_000
const batch = Math.ceil(samples / machineCount)

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
let maxMb = 0
const timer = setInterval(() => (maxMb = Math.max(maxMb, memoryOf(service.pid))), 50)
try {
  const machines = await addMachines(service, machineCount)
  const startMs = Date.now() - batch * 100 - 60_000
  const order = { url: service.url, key: testKey, connections: 64, machines, batch, batches: 20, startMs }
  // The first hours of each machine are computed before the measurement, and the code is compiled.
  await burst({ ...order, samples, startMs: startMs - batch * 100 })
  await service.settled()
  await sleep(afterMs)
  const [beforeMb, cpuUs] = [memoryOf(service.pid), cpuOf(service.pid).all]
  maxMb = 0
  const startedMs = performance.now()
  const { accepted, refused, elapsedMs } = await burst({ ...order, samples })
  await service.settled()
  const inReportsMs = performance.now() - startedMs
  const usedUs = cpuOf(service.pid).all - cpuUs
  await sleep(afterMs)
  const s = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
  console.log(
    `accepted          ${accepted} samples after ${s(elapsedMs)}; ${refused} posts were rejected and sent again`,
  )
  console.log(`in the reports    after ${s(inReportsMs)}, ${(usedUs / accepted).toFixed(1)} µs of CPU a sample`)
  const memory = [beforeMb, maxMb, memoryOf(service.pid)].map(mb => `${mb.toFixed(0)} MB`)
  console.log(`memory            before ${memory[0]}, at most ${memory[1]}, ${afterMs / 1_000} s later ${memory[2]}`)
  console.log(`load              ${loadavg()[0]?.toFixed(1)}`)
} finally {
  clearInterval(timer)
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Makes the gateways create all bodies, then post them. */
async function burst(order: ClientOrder): Promise<ClientReport> {
  const client = startScript(new URL('client.ts', import.meta.url))
  await ask(client, order)
  const report = await ask<ClientReport>(client, 'go')
  client.kill()
  return report
}
