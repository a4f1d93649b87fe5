import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { int64, second, sql, uint32 } from '../../clickhouse/sql/sql.ts'
import type { Health } from '../../schema/requests/health.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../shared/time/units.ts'
import { type ChildService, startChild } from '../../test/support/child-service.ts'
import { readAs } from '../../test/support/read-as.ts'
import { addMachines } from '../support/machines.ts'

/** Machines of a group: as many as a wall of 4K shows. */
export const groupSize = 200
/** Machines that send samples; the documents of the others are copies. */
const templates = 50
/** Shop days with documents of hours, before the current one. */
const daysWithHours = 8
const weeks = 52
const samplesPerPost = 5_000
const settleWithinMs = 600_000

/**
 * Writes a plant into a folder: groups of machines that work in three shifts, a week of documents of hours, and a year of documents of days.
 * The service computes the documents of some machines from their samples; the store copies them, to other machines and to earlier weeks.
 */
export async function writePlant(dataDir: string, machines: number, say: (text: string) => void): Promise<void> {
  const service = await startChild({ TAKT_DATA_DIR: dataDir })
  const endMs = Math.floor(Date.now() / hourMs) * hourMs
  const startMs = Math.floor(endMs / dayMs - daysWithHours) * dayMs
  await createRecords(service)
  const first = await addMachines(service, templates, index => machineAt(index))
  say(`${daysWithHours} days of ${templates} machines are sent`)
  for (const [index, machineId] of first.entries()) await postWork(service, machineId, index, startMs, endMs)
  say(`${machines} machines are made`)
  await addMachines(service, machines - templates, index => machineAt(index + templates))
  await awaitDays(service)
  await service.stop()
  const store = await openEmbeddedStore({ path: join(dataDir, 'store'), database: 'takt' })
  try {
    await copy(store, machines, startMs, endMs, say)
  } finally {
    await store.close()
  }
}

const scheduleId = randomUUID()
const groupId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** The group that the wall shows. */
export const wallGroup = groupId(0)

function machineAt(index: number) {
  const name = `Machine ${String(index + 1).padStart(4, '0')}`
  return { name, scheduleId, machineGroupIds: [groupId(Math.floor(index / groupSize))] }
}

async function createRecords(service: ChildService): Promise<void> {
  const put = async (path: string, body: object) => {
    const answer = await service.call('PUT', path, body)
    if (answer.status >= 300) throw new Error(`PUT ${path}: ${JSON.stringify(answer.body)}`)
  }
  const shifts = ['06:00', '14:00', '22:00'].map((start, index, starts) => {
    return {
      id: String(index),
      name: `Shift ${index + 1}`,
      days: [1, 2, 3, 4, 5, 6, 7],
      start,
      end: starts[(index + 1) % 3],
    }
  })
  await put('/settings', { companyName: 'Plant', timeZone: 'UTC', microstopMs: 2 * minuteMs })
  await put(`/schedules/${scheduleId}`, { name: 'Three shifts', versions: [{ shifts }] })
  for (let index = 0; index < 25; index++) await put(`/machine-groups/${groupId(index)}`, { name: `Line ${index + 1}` })
}

/** Posts cycles of some minutes with a part each, short stops between them, and a longer one after each eighth. */
async function postWork(
  service: ChildService,
  machineId: string,
  index: number,
  startMs: number,
  endMs: number,
): Promise<void> {
  const samples: object[] = []
  const add = (atMs: number, key: string, type: string, value: string | number) =>
    samples.push({ timestamp: new Date(atMs).toISOString(), key, type, value })
  for (let atMs = startMs + index * secondMs, turn = 0; atMs < endMs - hourMs; turn++) {
    const stoppedMs = atMs + (4 + ((turn * 7 + index) % 5)) * minuteMs
    add(atMs, 'execution', 'EXECUTION', 'ACTIVE')
    add(stoppedMs - secondMs, 'parts', 'PART_COUNT', turn + 1)
    add(stoppedMs, 'execution', 'EXECUTION', turn % 8 === 7 ? 'STOPPED' : 'READY')
    atMs = stoppedMs + (turn % 8 === 7 ? 5 + ((turn + index) % 20) : 0.5 + (turn % 3) / 2) * minuteMs
  }
  for (let from = 0; from < samples.length; from += samplesPerPost) {
    const body = { machineId, samples: samples.slice(from, from + samplesPerPost) }
    const { status } = await service.call('POST', '/ingest/samples', body)
    if (status !== 202) throw new Error(`POST /ingest/samples answered ${status}`)
  }
}

/** Resolves when all documents of hours and days are computed. */
async function awaitDays(service: ChildService): Promise<void> {
  const untilMs = Date.now() + settleWithinMs
  for (let quiet = 0; quiet < 5; await sleep(secondMs)) {
    const { lag, backlog } = readAs<Health>((await service.call('GET', '/health')).body)
    quiet = lag.records === 0 && backlog.hours === 0 && backlog.days === 0 ? quiet + 1 : 0
    if (Date.now() > untilMs) throw new Error('The documents were not computed')
  }
}

async function copy(
  store: Store,
  machines: number,
  startMs: number,
  endMs: number,
  say: (text: string) => void,
): Promise<void> {
  const copies = sql`ARRAY JOIN range(1, ${uint32(machines / templates)}) AS copy`
  const isTemplate = sql`machine <= ${uint32(templates)}`
  say('documents of hours are copied')
  for (let dayStartMs = startMs; dayStartMs < endMs; dayStartMs += dayMs) {
    const ofDay = sql`slot >= ${second(dayStartMs)} AND slot < ${second(Math.min(dayStartMs + dayMs, endMs))}`
    await store.command(sql`
      INSERT INTO hours SELECT * EXCEPT copy REPLACE (toUInt32(machine + ${uint32(templates)} * copy) AS machine)
      FROM (SELECT * FROM hours FINAL WHERE company = 1 AND ${isTemplate} AND ${ofDay}) ${copies}`)
  }
  say('documents of days are copied')
  await store.command(sql`
    INSERT INTO days SELECT * EXCEPT copy REPLACE (toUInt32(machine + ${uint32(templates)} * copy) AS machine)
    FROM (SELECT * FROM days FINAL WHERE company = 1 AND ${isTemplate}) ${copies}`)
  for (let week = 1; week <= weeks; week++) {
    const by = sql`toInt64(${int64(week * 7 * dayMs)})`
    await store.command(sql`
      INSERT INTO days SELECT * REPLACE (shop_date - ${uint32(week * 7)} AS shop_date, start_ms - ${by} AS start_ms, end_ms - ${by} AS end_ms,
        arrayMap(x -> x - ${by}, spanning_record_start_ms) AS spanning_record_start_ms)
      FROM (SELECT * FROM days WHERE company = 1 AND start_ms >= ${int64(startMs + dayMs)} AND start_ms < ${int64(startMs + 8 * dayMs)})`)
  }
}
