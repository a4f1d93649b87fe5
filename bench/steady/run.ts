/**
 * A plant at work: machines send samples at a given rate to an embedded service that is started as users start it. Prints the
 * CPU time of the service, the delay until reports and screens, a report under load and at rest, and the series of memory, lag, parts and
 * disk space:
 *
 *   node --import tsx bench/steady/run.ts [machines=5000] [samples a second=25000] [seconds=60] [minutes before=0]
 *
 * A soak is the same with 1200 seconds, or with more than an hour. With minutes before, the hours of the machines begin this many minutes earlier: their state samples are
 * sent first.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChildService, startChild } from '../../test/support/child-service.ts'
import { readAs } from '../../test/support/read-as.ts'
import { testKey } from '../../test/support/service.ts'
import { bytesOf } from '../ingest/disk.ts'
import { addMachines } from '../support/machines.ts'
import { cpuOf, insertCounts, insertsSince } from '../support/usage.ts'
import { timed, Times } from '../reports/measure.ts'
import { ask, startScript } from '../support/processes.ts'
import { Course } from './course.ts'
import { Probe } from './freshness.ts'
import type { GatewaysOrder, GatewaysReport } from './gateways.ts'

const [machineCount = 5_000, perSecond = 25_000, seconds = 60, minutesBefore = 0] = process.argv.slice(2).map(Number)
/** The first documents of all machines are computed first: the lag must be this short this many times in a row, polled every two seconds. */
const warm = { minMs: 15_000, maxMs: 300_000, lookMs: 2_000, lagS: 8, looks: 5 } as const
/** A read shortens the flush intervals: they grow to their length again. */
const intervalsMs = 15_000
const reports = 8
const hourS = 3_600

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
const gateways = startScript(new URL('gateways.ts', import.meta.url))
const look = () => ask<GatewaysReport>(gateways, {})
try {
  progress(`creating ${machineCount} machines`)
  const machines = await addMachines(service, machineCount)
  const probe = await Probe.start(service)
  progress('sending samples')
  const beforeMs = minutesBefore * 60_000
  await ask(gateways, { url: service.url, key: testKey, machines, perSecond, beforeMs } satisfies GatewaysOrder)
  await warmUp(service)
  const course = new Course(service, dataDir, Math.min(10_000, (seconds * 1_000) / 20))
  const [inserts, sent, disk] = [await insertCounts(service), await look(), bytesOf(dataDir)]
  const before = cpuOf(service.pid)
  const startedMs = performance.now()

  progress(`measuring CPU for ${Math.round(seconds / 4)} s`)
  await sleep(seconds * 250)
  const [alone, then] = [cpuOf(service.pid), await look()]
  const aloneS = (performance.now() - startedMs) / 1_000
  const made = insertsSince(inserts, await insertCounts(service))
  progress('measuring from posts to screens')
  const toScreen = await probe.toScreen(seconds * 250)
  progress('measuring from posts to reports')
  const toReport = await probe.toReport(seconds * 250)
  progress('measuring a report of all machines under load')
  const beside = await reportTimes(service, seconds * 250)

  const [after, last] = [cpuOf(service.pid), await look()]
  const elapsedS = (performance.now() - startedMs) / 1_000
  course.end()
  const accepted = last.accepted - sent.accepted
  print(
    'accepted',
    `${perS(accepted / elapsedS)} of ${perS(perSecond)}; ${last.refused} posts refused; ${last.waiting} wait`,
  )
  print(
    'CPU of the service',
    `${((100 * (alone.all - before.all)) / aloneS / 1e6).toFixed(0)} % of a core without probes`,
  )
  for (const [thread, us] of [...alone.threads].toSorted((a, b) => b[1] - a[1])) {
    const share = (us - (before.threads.get(thread) ?? 0)) / aloneS / 1e4
    if (share >= 0.5) print(`  thread ${thread}`, `${share.toFixed(1)} %`)
  }
  print('inserts a second', made.map(([table, count]) => `${table} ${(count / aloneS).toFixed(2)}`).join(', '))
  print('  with probes, reports', `${((100 * (after.all - before.all)) / elapsedS / 1e6).toFixed(0)} %`)
  print('CPU of the gateways', `${((100 * (then.cpuUs - sent.cpuUs)) / aloneS / 1e6).toFixed(0)} % of a core`)
  print('post to screen', `${String(toScreen)}, p99 ${toScreen.at(0.99).toFixed(0)} ms`)
  print('post to report', String(toReport))
  console.log(String(course))
  print('memory grows by', `${course.memorySlope().toFixed(1)} MB a minute in the second half`)
  if (elapsedS > hourS) print('memory in its course', course.hours())
  print('disk grows by', `${((bytesOf(dataDir) - disk) / accepted).toFixed(0)} B a sample, before merges, log included`)
  gateways.kill()
  await service.settled()
  await sleep(5_000)
  const atRest = await reportTimes(service, 5_000)
  print('a day by machine', `under load ${String(beside)}; at rest ${String(atRest)}: ${beside.against(atRest)}`)
  print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
} finally {
  gateways.kill()
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Resolves when the first documents of the machines are computed and the rate is steady. Reports if that takes too long. */
async function warmUp({ call }: ChildService): Promise<void> {
  const startedMs = performance.now()
  const tookMs = () => performance.now() - startedMs
  await sleep(warm.minMs)
  let [short, lagS] = [0, Infinity]
  while (short < warm.looks && tookMs() < warm.maxMs) {
    await sleep(warm.lookMs)
    lagS = readAs<{ lag: { seconds: number } }>((await call('GET', '/health')).body).lag.seconds
    short = lagS <= warm.lagS ? short + 1 : 0
  }
  const took = `after ${(tookMs() / 1_000).toFixed(0)} s`
  print('first documents', short < warm.looks ? `not made ${took}: ${lagS.toFixed(0)} s behind` : `made ${took}`)
  await sleep(intervalsMs)
}

/** A report of a day of all machines, repeatedly, with a pause between. */
async function reportTimes({ call }: ChildService, durationMs: number): Promise<Times> {
  const body = {
    start: new Date(Date.now() - 86_400_000).toISOString(),
    end: new Date().toISOString(),
    data: ['oee', 'availability', 'timeInCycle', 'totalParts'].map(metric => ({ metric })),
    groupBy: [{ group: 'machine' }],
  }
  const times = new Times()
  for (let i = 0; i < 2; i++) await call('POST', '/reports/production', body)
  for (let i = 0; i < reports; i++) {
    times.add(await timed(() => call('POST', '/reports/production', body)))
    await sleep(durationMs / reports / 2)
  }
  return times
}

function perS(count: number): string {
  return `${Math.round(count).toLocaleString('en')}/s`
}

function progress(text: string): void {
  process.stderr.write(`… ${text}\n`)
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(24)} ${text}`)
}
