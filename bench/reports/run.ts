/**
 * Measures production and downtime reports of a large plant, from the parsed body to the end of the JSON text, and compares
 * them with the same query sent by hand. Before that, some machines are tested end to end, from samples to a report.
 *
 *   node --import tsx bench/reports/run.ts [machines=5000] [days=30] [older days=335] [repeats=30]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openFiles } from '../../api/files/files.ts'
import { jsonChunks } from '../../api/json/write-json.ts'
import { hourMs } from '../../shared/time/units.ts'
import { metrics } from '../../schema/metrics.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { exportByHand } from './export-by-hand.ts'
import { watchQueries } from './by-hand.ts'
import { load } from './load.ts'
import { lengthOf, repeat, timed, Times } from './measure.ts'
import { createPlant, dayMs, machineOf, startMs, usualMetrics } from './plant.ts'
import { sendWholeWay } from './whole-way.ts'

const given = process.argv.slice(2).map(Number)
const [machines = 5000, days = 30, olderDays = 335, repeats = 30] = given
const endMs = startMs + days * dayMs
const data = usualMetrics.map(metric => ({ metric }))
const everyMetric = Object.keys(metrics).map(metric => ({ metric }))
const withoutJobs = ['utilizationRate', 'availability', 'timeInCycle', 'scheduledTime', 'downtime'].map(metric => ({
  metric,
}))
const by = (...groups: readonly string[]) => ({ groupBy: groups.map(group => ({ group })) })
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const lastDays = (count: number) => ({ startDay: dateOf(endMs - count * dayMs), endDay: dateOf(endMs - dayMs) })
/** The range cuts hours at both ends, and contains no whole shop day. */
const cutDay = {
  start: new Date(endMs - 30.4 * hourMs).toISOString(),
  end: new Date(endMs - 6.4 * hourMs).toISOString(),
}

const database = await freshDatabase()
const { store, again, againAsJson, lastWrittenMs } = watchQueries(database.store)
const folder = await mkdtemp(join(tmpdir(), 'takt-bench-'))
try {
  const plant = createPlant(machines)
  await load(store, plant, { machines, days, olderDays })
  const files = openFiles({
    folder,
    lifetimeMs: 3_600_000,
    store,
    clock: Date.now,
    logger: pino({ level: 'silent' }),
  })
  const reports = plant.reports(store, () => endMs, { files })
  const sample = [1, 2, 17, 500, 4999].filter(ref => ref <= machines)
  const ofSample = {
    start: new Date(startMs + 1.4 * hourMs).toISOString(),
    end: new Date(startMs + 23.7 * hourMs).toISOString(),
    data: everyMetric,
    ...by('machine', 'shift', 'hour'),
    filter: { machine: sample.map(ref => machineOf(plant, ref).id) },
  }
  const expected: unknown = JSON.parse([...jsonChunks(await reports.production(plant.company.id, ofSample))].join(''))
  await sendWholeWay(plant, sample, ofSample, expected)

  const production = (name: string, body: object) => measure(name, () => reports.production(plant.company.id, body))
  await production('a day by machine, from hours, cut at both ends', { ...cutDay, data, ...by('machine') })
  await production('the same without jobs', { ...cutDay, data: withoutJobs, ...by('machine') })
  await production('a whole shop day by machine', { ...lastDays(1), data, ...by('machine') })
  await production('the same, every metric', { ...lastDays(1), data: everyMetric, ...by('machine') })
  await production('30 days by day', { ...lastDays(30), data, ...by('day') })
  await production('30 days by day and machine', { ...lastDays(30), data, ...by('machine', 'day') })
  await production('30 days by machineGroup, operator and shift', {
    ...lastDays(30),
    data,
    ...by('machineGroup', 'operator', 'shift'),
  })
  await production('a year by month', { ...lastDays(days + olderDays), data, ...by('month') })
  await production('the same without jobs', { ...lastDays(days + olderDays), data: withoutJobs, ...by('month') })
  const downtime = (name: string, ...groups: readonly string[]) =>
    measure(name, () => reports.downtime(plant.company.id, { ...lastDays(30), ...by(...groups) }))
  await downtime('a downtime Pareto of 30 days', 'reason')
  await downtime('downtime of 30 days by day', 'day')
  await downtime('downtime of 30 days by machine and day', 'machine', 'day')
  await downtime('downtime of 30 days by shift', 'shift')
  await downtime('downtime of 30 days by job operation', 'jobOperation')
  for (const groups of [
    ['machine', 'day', 'shift'],
    ['machine', 'day', 'shift', 'jobOperation'],
  ]) {
    const rows = { ...lastDays(30), data, ...by(...groups), csv: true }
    const path = join(folder, 'by-hand.csv')
    const byHand = await exportByHand(database.store, plant, { body: rows, nowMs: endMs, path })
    const made = async () => reports.production(plant.company.id, rows)
    await measureFile(`a file of CSV by ${groups.join(', ')}`, made, byHand)
  }
  for (let ref = 1; ref <= machines; ref++) plant.put('machine', { ...machineOf(plant, ref), microstopMs: 60_000 })
  await downtime('a downtime Pareto of 30 days, microstops left out', 'reason')
  await downtime('downtime of 30 days by machine and day, microstops left out', 'machine', 'day')
  files.stop()
} finally {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
}

/** Each measurement is followed by the same query sent by hand: with numbers only, then as JSON. */
async function measure(name: string, run: () => Promise<object>): Promise<void> {
  const [own, byHand, asJson] = [new Times(), new Times(), new Times()]
  let length = 0
  await repeat(repeats, async count => {
    const ownMs = await timed(async () => {
      length = lengthOf(await run())
    })
    const [byHandMs, asJsonMs] = [await timed(again), await timed(againAsJson)]
    if (!count) return
    own.add(ownMs)
    byHand.add(byHandMs)
    asJson.add(asJsonMs)
  })
  const compared = `the query by hand ${own.against(byHand)}, as JSON ${own.against(asJson)}`
  console.log(`${name}: ${String(own)}; ${compared}; ${(length / 1e6).toFixed(1)} MB`)
}

/** Each measurement is followed by the same file written by the engine only. */
async function measureFile(name: string, run: () => Promise<unknown>, byHandOnce: () => Promise<void>): Promise<void> {
  const [own, written, byHand] = [new Times(), new Times(), new Times()]
  await repeat(repeats, async count => {
    const before = performance.now()
    const ownMs = await timed(run)
    const writtenMs = lastWrittenMs() - before
    const byHandMs = await timed(byHandOnce)
    if (!count) return
    own.add(ownMs)
    written.add(writtenMs)
    byHand.add(byHandMs)
  })
  console.log(
    `${name}: written after ${String(written)}; by hand ${written.against(byHand)}; answered after ${String(own)}`,
  )
}
