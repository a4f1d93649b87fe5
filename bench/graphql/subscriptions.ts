/**
 * Many screens that subscribe to values of a plant, in an embedded service as users start it. Subscribers and gateways are separate
 * processes. The CPU time of the service is measured with changes only, then also with the subscribers:
 *
 *   node --import tsx bench/graphql/subscriptions.ts [seconds=15] [subscribers=1000] [queries=100] [changes a second=1000]
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../../test/support/child-service.ts'
import { testKey } from '../../test/support/service.ts'
import { addMachines } from '../support/machines.ts'
import { cpuOf, memoryOf } from '../support/usage.ts'
import { ask, startScript } from '../support/processes.ts'
import type { ChangesOrder } from './changes.ts'
import { distinctQueries } from './queries.ts'
import type { SubscribersOrder, SubscribersReport } from './subscribers.ts'

const [seconds = 15, subscribers = 1000, queryCount = 100, perSecond = 1000] = process.argv.slice(2).map(Number)
const machineCount = 200

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
const children: ChildProcess[] = []
try {
  const machines = await addMachines(service, machineCount)
  const { url } = service
  const changes = start('changes.ts')
  await ask<object>(changes, { url, key: testKey, machines, perSecond } satisfies ChangesOrder)
  // In the meantime, the first hour of each machine is computed.
  await sleep(5_000)
  const alone = await measure('changes alone')
  const screens = start('subscribers.ts')
  const queries = distinctQueries(machines, queryCount)
  const openedMs = performance.now()
  const usedUs = cpuOf(service.pid).all
  await ask<object>(screens, { url, key: testKey, subscribers, queries } satisfies SubscribersOrder)
  const openS = (performance.now() - openedMs) / 1000
  const openCpuS = (cpuOf(service.pid).all - usedUs) / 1e6 - alone * openS
  print(
    'all have a first result',
    `after ${openS.toFixed(1)} s, CPU ${openCpuS.toFixed(1)} s in addition to the changes`,
  )
  await sleep(2_000)
  const before = await evaluations()
  await ask<SubscribersReport>(screens, {})
  const together = await measure(`with ${subscribers} subscribers of ${queryCount} queries`)
  const got = await ask<SubscribersReport>(screens, {})
  const evaluated = (await evaluations()) - before
  print('subscribers cost', `${(together - alone).toFixed(2)} cores`)
  print('evaluations', `${(evaluated / got.seconds).toFixed(0)} a second`)
  print(
    'results',
    `${(got.results / got.seconds).toFixed(0)} a second, ${(got.bytes / 1e6 / got.seconds).toFixed(1)} MB/s`,
  )
  print('age of the newest value', `p50 ${got.p50Ms} ms, p99 ${got.p99Ms} ms`)
  print('connections lost', `${got.closed}`)
  print('memory of the service', `${memoryOf(service.pid).toFixed(0)} MB`)
  print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
} finally {
  for (const child of children) child.kill()
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** CPU time of the service during `seconds`, in cores. */
async function measure(name: string): Promise<number> {
  const before = cpuOf(service.pid)
  const startedMs = performance.now()
  await sleep(seconds * 1000)
  const after = cpuOf(service.pid)
  const elapsedUs = (performance.now() - startedMs) * 1000
  const cores = (from = 0, to = 0) => (to - from) / elapsedUs
  const threads = [...after.threads]
    .map(([thread, us]) => [thread, cores(before.threads.get(thread), us)] as const)
    .filter(([, share]) => share >= 0.01)
    .toSorted((a, b) => b[1] - a[1])
    .map(([thread, share]) => `${thread} ${share.toFixed(2)}`)
  const all = cores(before.all, after.all)
  print(name, `${all.toFixed(2)} cores (${threads.join(', ')})`)
  return all
}

async function evaluations(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^takt_graphql_evaluations (\d+)/m.exec(metrics)?.[1])
}

function start(script: string): ChildProcess {
  const child = startScript(new URL(script, import.meta.url))
  child.once('exit', code => {
    if (code) process.exit(code)
  })
  children.push(child)
  return child
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(45)} ${text}`)
}
