/**
 * From posts to the reports, in an embedded service; gateways are a separate process:
 * `node --import tsx bench/ingest/run.ts [samples] [machines] [samples a batch] [batches a post]`. By default 300,000 samples of 1,000
 * machines, batches of 100, 20 a post; in full: 5000000. With `TAKT_BENCH_KAFKA=1` the log is a Kafka broker on this machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../../test/support/child-service.ts'
import { sharedBroker } from '../../test/support/kafka.ts'
import { testKey } from '../../test/support/service.ts'
import { ask, startScript } from '../support/processes.ts'
import { perSecond, post, startClient } from './clients.ts'
import type { Shape } from './bodies.ts'
import { bytesOf, bytesOfTables } from './disk.ts'
import { addMachines } from '../support/machines.ts'
import type { ReferenceReport } from './reference.ts'
import { cpuOf, cpuOfChildren, insertCounts, insertsSince, memoryOf } from '../support/usage.ts'

const [samples = 300_000, machineCount = 1_000, batch = 100, batches = 20] = process.argv.slice(2).map(Number)
/** Merges continue for a while after all samples are in the reports. */
const mergesMs = 5_000
/** Samples of each machine before the measurement, in which its first hours are computed. */
const firstOfMachine = 50

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
/** With `TAKT_BENCH_KAFKA=1` the log is a Kafka broker on this machine. */
const broker = process.env['TAKT_BENCH_KAFKA'] === undefined ? null : await sharedBroker()
const service = await startChild({ TAKT_DATA_DIR: dataDir, KAFKA_BROKERS: broker?.brokers.join(',') ?? '' })
try {
  const machines = await addMachines(service, machineCount)
  const startMs = Date.now() - Math.ceil(samples / machineCount) * 100 - 5_000
  const shape: Shape = { machines, samples, batch, batches, startMs }
  const gateways = { url: service.url, key: testKey, connections: 4 }
  const client = await startClient({ ...shape, ...gateways })
  // The first hours of each machine are computed before: their cost does not depend on the number of samples.
  await post(
    await startClient({
      ...shape,
      ...gateways,
      samples: machineCount * firstOfMachine,
      batch: 50,
      startMs: startMs - 60_000,
    }),
  )
  await service.settled()
  const inserts = await insertCounts(service)
  const before = cpuOf(service.pid)
  const brokerBefore = cpuOfChildren('java')
  const startedMs = performance.now()
  const report = await post(client)
  await service.settled()
  const elapsedMs = performance.now() - startedMs
  const settled = cpuOf(service.pid)
  const memory = memoryOf(service.pid)
  const made = insertsSince(inserts, await insertCounts(service))
  await sleep(mergesMs)
  const merged = cpuOf(service.pid)
  const us = (from: number, to: number) => `${((to - from) / report.accepted).toFixed(2)} µs`
  print(
    'posted',
    `${perSecond(report.accepted, report.elapsedMs)}, ${Math.round(report.bytes / report.accepted)} B a sample`,
  )
  print('in the reports', perSecond(report.accepted, elapsedMs))
  print(
    'CPU of the service',
    `${us(before.all, settled.all)} a sample; with the next ${mergesMs / 1000} s ${us(before.all, merged.all)}`,
  )
  if (broker) print('CPU of the broker', us(brokerBefore, cpuOfChildren('java')))
  print('CPU of the gateways', us(0, report.cpuUs))
  print('inserts', made.map(([table, count]) => `${table} ${count}`).join(', '))
  print('memory', `${Math.round(memory)} MB`)
  const threads = [...settled.threads].map(([name, cpuUs]) => [name, cpuUs - (before.threads.get(name) ?? 0)] as const)
  for (const [name, cpuUs] of threads.toSorted((a, b) => b[1] - a[1]))
    if (cpuUs / report.accepted > 0.05) print(`  thread ${name}`, us(0, cpuUs))
  const reference = await ask<ReferenceReport>(startScript(new URL('reference.ts', import.meta.url)), shape)
  const { rows, cpuUs } = reference
  print(
    'reference',
    `${perSecond(rows, reference.elapsedMs)}, ${(cpuUs / rows).toFixed(2)} µs: the engine alone, Native with a view`,
  )
  const logBytes = bytesOf(join(dataDir, 'log'))
  await service.stop()
  const all = report.accepted + machineCount * firstOfMachine
  const each = (bytes: number) => `${(bytes / all).toFixed(1)} B`
  const tables = (await bytesOfTables(dataDir)).filter(([, bytes]) => bytes / all >= 0.05)
  print('disk a sample', `log ${each(logBytes)}; ${tables.map(([name, bytes]) => `${name} ${each(bytes)}`).join(', ')}`)
} finally {
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(24)} ${text}`)
}
