import { createDayStore } from '../../clickhouse/documents/day-store.ts'
import { createDocumentStore } from '../../clickhouse/documents/documents.ts'
import { int64, type Sql, sql, uint32 } from '../../clickhouse/sql/sql.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { TestPlant } from '../../test/api/reports/plant-support.ts'
import { dayMs, machineOf, putOperators, putRuns, runsPerDay, samplesOf, startMs } from './plant.ts'
import { asMachineRef } from '../../schema/refs.ts'

export interface Scale {
  readonly machines: number
  /** Days with hours. */
  readonly days: number
  /** Days with day documents only, before those with hours. */
  readonly olderDays: number
}

/**
 * The documents of the first day are computed by the functions of the product and written by its writer; the other days are copies of
 * it in the store, with their own job runs. Day documents are built by the statement of the product.
 */
export async function load(store: Store, plant: TestPlant, scale: Scale): Promise<void> {
  await timed('the first day', () => loadFirstDay(store, plant, scale))
  await timed('its copies', () => copyDays(store, scale))
  await timed('documents of days', () => buildDays(store, plant, scale))
  await timed('older days', () => copyOlderDays(store, scale))
  await timed('records', async () => {
    for (let day = 1; day < scale.days; day++)
      for (let ref = 1; ref <= scale.machines; ref++) putRuns(plant, machineOf(plant, ref), day, scale.machines)
    await plant.project(store)
    await copyOlderRuns(store, scale)
  })
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const before = performance.now()
  await work()
  console.log(`${what} loaded in ${((performance.now() - before) / 1000).toFixed(1)} s`)
}

async function loadFirstDay(store: Store, plant: TestPlant, { machines }: Scale): Promise<void> {
  const documentStore = createDocumentStore(store)
  for (let first = 1; first <= machines; first += 50) {
    const refs = Array.from({ length: Math.min(50, machines - first + 1) }, (_, i) => first + i)
    const documents = refs.flatMap(ref => {
      const machine = machineOf(plant, ref)
      putRuns(plant, machine, 0, machines)
      putOperators(plant, machine, machines)
      return plant.documents(machine, samplesOf(machine), startMs, startMs + dayMs)
    })
    await documentStore.writeDocuments(documents.map(document => Object.assign(document, { version: 1n })))
  }
}

/** Columns of `hours` with runs and instants, which differ every day. */
const copied = replaced(
  ['facts_run', 'downtime_run', 'setup_run', 'segment_run', 'part_run', 'adjustment_run'],
  ['downtime_record_start_ms'],
)

function replaced(runs: readonly string[], instants: readonly string[]): Sql {
  const columns = [
    ...runs.map(name => `arrayMap(x -> x + day * per_day, ${name}) AS ${name}`),
    ...instants.map(name => `arrayMap(x -> x + day * 86400000, ${name}) AS ${name}`),
  ]
  return { parts: [columns.join(', ')] }
}

async function copyDays(store: Store, { machines, days }: Scale): Promise<void> {
  const perDay = uint32(machines * runsPerDay)
  for (let day = 1; day < days; day++) {
    await store.command(sql`
      INSERT INTO hours WITH toUInt32(${uint32(day)}) AS day, toUInt32(${perDay}) AS per_day
      SELECT * REPLACE (slot + INTERVAL day DAY AS slot, ${copied})
      FROM (SELECT * FROM hours WHERE company = 1 AND toDate(slot) = toDate(${uint32(Math.floor(startMs / dayMs))}))`)
  }
}

async function buildDays(store: Store, plant: TestPlant, { machines, days }: Scale): Promise<void> {
  const dayStore = createDayStore(store)
  const refs = Array.from({ length: machines }, (_, i) => asMachineRef(i + 1))
  const shopDays = Array.from({ length: days }, (_, day) => {
    const from = startMs + day * dayMs
    return { startMs: from, endMs: from + dayMs, shopDate: new Date(from).toISOString().slice(0, 10) }
  })
  for (const day of shopDays)
    for (let first = 0; first < refs.length; first += 1000)
      await dayStore.buildDays(plant.company.ref, refs.slice(first, first + 1000), [day], 1n)
  const common = { companyRef: plant.company.ref, partition: 0, partitions: 1, covered: true, epoch: 1n, version: 1n }
  const ownership = { ...common, startMs: 0, endMs: 0, firstMs: 0 }
  const all = Array.from({ length: days + 365 }, (_, i) => startMs + (i - 365) * dayMs)
  await dayStore.writeCoverage([
    ownership,
    ...all.map(from => Object.assign({ startMs: from, endMs: from + dayMs, firstMs: 0 }, common)),
  ])
}

async function copyOlderDays(store: Store, { machines, days, olderDays }: Scale): Promise<void> {
  const perDay = uint32(machines * runsPerDay)
  for (let back = days; back < olderDays + days; back += days) {
    await store.command(sql`
      INSERT INTO days WITH toInt32(${uint32(back)}) AS day, toUInt32(${perDay}) AS per_day
      SELECT * REPLACE (
        shop_date - day AS shop_date, start_ms - day * 86400000 AS start_ms, end_ms - day * 86400000 AS end_ms,
        arrayMap(x -> toUInt32(x + ${olderRuns(back)}), facts_run) AS facts_run,
        arrayMap(x -> toUInt32(x + ${olderRuns(back)}), downtime_run) AS downtime_run,
        arrayMap(x -> toUInt32(x + ${olderRuns(back)}), spanning_run) AS spanning_run,
        arrayMap(x -> x - day * 86400000, spanning_record_start_ms) AS spanning_record_start_ms)
      FROM (SELECT * FROM days WHERE company = 1 AND start_ms >= ${int64(startMs)})`)
  }
}

/** Runs of older days have refs above all others. */
function olderRuns(back: number): Sql {
  return sql`toUInt32(${uint32(back)}) * per_day`
}

async function copyOlderRuns(store: Store, { machines, days, olderDays }: Scale): Promise<void> {
  const perDay = uint32(machines * runsPerDay)
  for (let back = days; back < olderDays + days; back += days) {
    await store.command(sql`
      INSERT INTO job_runs WITH toInt32(${uint32(back)}) AS day, toUInt32(${perDay}) AS per_day
      SELECT * REPLACE (
        toUInt32(run + ${olderRuns(back)}) AS run,
        start_ms - day * 86400000 AS start_ms, end_ms - day * 86400000 AS end_ms)
      FROM (SELECT * FROM job_runs WHERE company = 1 AND start_ms >= ${int64(startMs)})`)
  }
}
