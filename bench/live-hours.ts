/**
 * Measures how current the live hours are while all hours of a plant are computed: during an import of history, a change of all schedules, a
 * change of the company's time zone, and a rebuild. An embedded service gets a sample per machine and second. Prints for each scenario the
 * largest backlog, its duration, and by how many seconds the current hour of any machine was behind, beside the `liveLag` of the service.
 * `node --import tsx bench/live-hours.ts [machines = 300] [hours of history = 700]`
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Health } from '../schema/requests/health.ts'
import type { RecomputesResponse } from '../schema/requests/recomputes.ts'
import { hourMs, minuteMs, secondMs, slotOf } from '../shared/time/units.ts'
import { startChild } from '../test/support/child-service.ts'
import { readAs } from '../test/support/read-as.ts'

const [count = 300, historyHours = 700] = process.argv.slice(2).map(Number)
/** A scenario ends when the lag is 0 this many seconds after the change, or after `maxScenarioMs`. */
const minScenarioMs = 20 * secondMs
const maxScenarioMs = 600 * secondMs
const samplesPerPost = 5_000

/** A value that all machines got at the same time. */
interface Round {
  readonly atMs: number
  readonly active: boolean
  readonly acceptedMs: number
}

interface Course {
  readonly liveLagS: number[]
  readonly behindMs: number[]
  backlog: number
}

interface MachineReport {
  readonly items: readonly {
    readonly entity: { readonly id: string }
    readonly aggregate: { readonly timeInCycle: number }
  }[]
}

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir, TAKT_RATE_LIMIT: '0' })
const machines = Array.from({ length: count }, () => randomUUID())
const [early, late] = [randomUUID(), randomUUID()]
const currentMs = slotOf(Date.now())
const rounds: Round[] = []

try {
  await putSchedule(early, '06:00', '14:00')
  await putSchedule(late, '08:00', '16:00')
  await putMachines(early)
  await postLive()
  await measure('import of the history', postHistory)
  await measure('change of all schedules', () => putSchedule(early, '07:00', '15:00'))
  await measure('other schedule for each machine', () => putMachines(late))
  await measure('change of the time zone', () =>
    call('PUT', '/settings', { companyName: 'Plant', timeZone: 'Asia/Kolkata' }),
  )
  await measure('rebuild', () => call('POST', '/recomputes', {}))
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function call(method: string, path: string, body: unknown): Promise<unknown> {
  const response = await service.call(method, path, body)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

async function putSchedule(id: string, start: string, end: string): Promise<void> {
  const shifts = [{ id: 'day', name: 'Day', days: [1, 2, 3, 4, 5, 6, 7], start, end }]
  await call('PUT', `/schedules/${id}`, { name: id, versions: [{ shifts }] })
}

async function putMachines(scheduleId: string): Promise<void> {
  const commissionedAt = new Date(currentMs - historyHours * hourMs).toISOString()
  for (const id of machines) await call('PUT', `/machines/${id}`, { name: id, commissionedAt, scheduleId })
}

function execution(machineId: string, atMs: number, active: boolean) {
  const value = active ? 'ACTIVE' : 'READY'
  return { machineId, timestamp: new Date(atMs).toISOString(), key: 'execution', type: 'EXECUTION', value }
}

/** Posts a change of state per hour and machine. */
async function postHistory(): Promise<void> {
  let samples: ReturnType<typeof execution>[] = []
  for (const id of machines) {
    for (let hour = 0; hour < historyHours; hour++)
      samples.push(execution(id, currentMs - (historyHours - hour) * hourMs + minuteMs, hour % 2 === 1))
    if (samples.length < samplesPerPost && id !== machines.at(-1)) continue
    await call('POST', '/ingest/samples', samples)
    samples = []
  }
}

async function postLive(): Promise<void> {
  const round = { atMs: Date.now(), active: rounds.length % 2 === 0 }
  await call(
    'POST',
    '/ingest/samples',
    machines.map(id => execution(id, round.atMs, round.active)),
  )
  rounds.push({ ...round, acceptedMs: Date.now() })
}

/** Time in cycle of [fromMs, toMs) by the first `known` rounds. */
function timeInCycle(known: number, fromMs: number, toMs: number): number {
  return rounds.slice(0, known).reduce((sum, { atMs, active }, index) => {
    const endMs = Math.min(toMs, index + 1 < known ? (rounds[index + 1]?.atMs ?? toMs) : toMs)
    return sum + (active ? Math.max(0, endMs - Math.max(fromMs, atMs)) : 0)
  }, 0)
}

/** Returns for how long the oldest missing value had been accepted, of any machine; 0: all are in the report. */
async function behindMs(): Promise<number> {
  const [fromMs, toMs] = [rounds[0]?.atMs ?? 0, Date.now()]
  const body = await call('POST', '/reports/production', {
    start: new Date(fromMs).toISOString(),
    end: new Date(toMs).toISOString(),
    groupBy: [{ group: 'machine' }],
    data: [{ metric: 'timeInCycle' }],
  })
  const reported = readAs<MachineReport>(body).items.map(({ aggregate }) => aggregate.timeInCycle)
  const least = Math.min(
    ...[...reported, ...(reported.length < count ? [0] : [])].map(value => knownRounds(value, fromMs, toMs)),
  )
  return least === rounds.length ? 0 : Math.max(0, toMs - (rounds[least]?.acceptedMs ?? toMs))
}

/** Returns the number of rounds that a reported time in cycle contains; 0 if the value is wrong. */
function knownRounds(reportedMs: number, fromMs: number, toMs: number): number {
  for (let known = rounds.length; known > 0; known--) if (timeInCycle(known, fromMs, toMs) === reportedMs) return known
  return 0
}

async function areRebuildsFinished(): Promise<boolean> {
  const { rebuilds } = readAs<RecomputesResponse>(await call('GET', '/recomputes', undefined))
  return rebuilds.every(({ finishedAt }) => finishedAt !== null)
}

async function measure(what: string, change: () => Promise<unknown>): Promise<void> {
  rounds.splice(0, rounds.length - 1)
  const course: Course = { liveLagS: [], behindMs: [], backlog: 0 }
  const startedMs = Date.now()
  let changed = false
  const changing = change().then(() => (changed = true))
  for (let elapsedMs = 0; elapsedMs < maxScenarioMs; elapsedMs = Date.now() - startedMs) {
    await postLive()
    const { lag, liveLag } = readAs<Health>(await call('GET', '/health', undefined))
    course.liveLagS.push(liveLag.seconds)
    course.backlog = Math.max(course.backlog, lag.records)
    course.behindMs.push(await behindMs())
    if (changed && elapsedMs > minScenarioMs && lag.records <= count && (await areRebuildsFinished())) break
    await sleep(secondMs)
  }
  await changing
  print(what, course, Date.now() - startedMs)
}

function print(what: string, { liveLagS, behindMs: behind, backlog }: Course, tookMs: number): void {
  const sorted = behind.toSorted((a, b) => a - b)
  const seconds = (ms: number | undefined) => ((ms ?? 0) / secondMs).toFixed(1)
  const p95 = seconds(sorted[Math.floor(sorted.length * 0.95)])
  const largest = Math.max(...liveLagS)
  console.log(
    `${what.padEnd(32)} backlog ${String(backlog).padStart(7)}, ${seconds(tookMs).padStart(6)} s; behind: median ` +
      `${seconds(sorted[sorted.length >> 1])}, p95 ${p95}, at most ${seconds(sorted.at(-1))} s; liveLag at most ${largest} s`,
  )
}
