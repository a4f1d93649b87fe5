/**
 * Measures the time from the start of an embedded service to its first report, with a year of hours of its machines in the store: after a stop,
 * and after a kill while samples arrived. The hours are copies of each machine's present hour, created in the store.
 * `node --import tsx bench/start.ts [machines = 1000] [days = 365]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { sql, uint32 } from '../clickhouse/sql/sql.ts'
import { startChild, type ChildService } from '../test/support/child-service.ts'
import { addMachines } from './support/machines.ts'
import { cpuOf } from './support/usage.ts'

const [machines = 1_000, days = 365] = process.argv.slice(2).map(Number)
const daysAtOnce = 30
let machineIds: readonly string[] = []

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
try {
  const first = await startChild({ TAKT_DATA_DIR: dataDir })
  machineIds = await addMachines(first, machines)
  await send(first)
  await first.settled()
  await first.stop()
  await fill()

  await measure('the first start after that', service => service.stop())
  await measure('after a stop', async service => {
    await send(service)
    const sending = send(service).catch(() => undefined)
    await service.kill()
    await sending
  })
  await measure('after it was killed', service => service.stop())
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

/** A state of each machine. */
async function send(service: ChildService): Promise<void> {
  const timestamp = new Date().toISOString()
  const sample = { timestamp, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
  await service.call(
    'POST',
    '/ingest/samples',
    machineIds.map(machineId => ({ machineId, samples: [sample] })),
  )
}

/** Inserts the hours before the first one into the store. */
async function fill(): Promise<void> {
  const store = await openEmbeddedStore({ path: join(dataDir, 'store'), database: 'takt' })
  for (let day = 0; day < days; day += daysAtOnce) {
    const count = Math.min(daysAtOnce, days - day) * 24
    process.stderr.write(`… hours of day ${day} to ${day + daysAtOnce} before\n`)
    await store.command(sql`
      INSERT INTO hours SELECT * EXCEPT (before) REPLACE (slot - toIntervalHour(before) AS slot, version - 1 AS version, hash_in AS hash_out)
      FROM (SELECT * FROM hours FINAL WHERE (company, machine, slot) IN (SELECT company, machine, min(slot) FROM hours GROUP BY company, machine)) AS own
      CROSS JOIN (SELECT number + ${uint32(day * 24 + 1)} AS before FROM numbers(${uint32(count)})) AS hours_before`)
  }
  const [rows] = await store.query<{ rows: number }>(sql`SELECT toUInt32(count()) AS rows FROM hours`)
  process.stderr.write(`… ${rows?.rows} hours are in the store\n`)
  await store.close()
}

async function measure(name: string, end: (service: ChildService) => Promise<unknown>): Promise<void> {
  const startedMs = performance.now()
  const service = await startChild({ TAKT_DATA_DIR: dataDir })
  const listeningMs = performance.now() - startedMs
  const report = {
    start: new Date(Date.now() - 86_400_000).toISOString(),
    end: new Date().toISOString(),
    data: [{ metric: 'totalParts' }],
  }
  let status = 0
  while (status !== 200) status = (await service.call('POST', '/reports/production', report)).status
  const answerMs = performance.now() - startedMs
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
  const cpu = seconds(cpuOf(service.pid).all / 1_000)
  console.log(
    `${name.padEnd(28)}listens after ${seconds(listeningMs)}, first report after ${seconds(answerMs)}, CPU ${cpu}`,
  )
  await end(service)
}
