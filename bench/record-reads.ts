/**
 * Measures how records of years are read from an embedded store: those of one hour of a machine, of hours of many machines, of blocks of 30 days,
 * and pages of lists. The parts of the tables stay as the writers leave them; no query is repeated.
 * `node --import tsx bench/record-reads.ts [ended runs = 2000000] [machines = 500] [folder that is kept and used again]`
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { sql } from '../clickhouse/sql/sql.ts'
import { createStoredRecords } from '../clickhouse/projections/stored-records.ts'
import { readAnnotations, readTimedRecords, timedKinds } from '../clickhouse/projections/timed-records.ts'
import type { MachineRecord } from '../schema/records/machine.ts'
import { type MachineSpan, recordIntervalMs } from '../schema/records/timed-records.ts'
import { recordHistory } from '../service/record-history.ts'
import { dayMs, hourMs } from '../shared/time/units.ts'
import { startChild } from '../test/support/child-service.ts'
import { timed, Times } from './reports/measure.ts'
import { addMachines } from './support/machines.ts'
import { writeHistory } from './support/years-of-records.ts'

const [runs = 2_000_000, machineCount = 500] = process.argv.slice(2, 4).map(Number)
const kept = process.argv[4]
/** 2.7 runs per machine and day, as in `years.ts`. */
const days = Math.max(1, Math.round(runs / machineCount / 2.74))
const maxSignInMs = 24 * hourMs
const firstMs = Math.floor(Date.now() / dayMs - days) * dayMs

const dataDir = kept ?? mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
try {
  if (!existsSync(join(dataDir, 'store'))) await fill()
  const store = await openEmbeddedStore({ path: join(dataDir, 'store'), database: 'takt' })
  try {
    await measure(store)
  } finally {
    await store.close()
  }
} finally {
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true })
}

async function fill(): Promise<void> {
  const service = await startChild({ TAKT_DATA_DIR: dataDir })
  await addMachines(service, machineCount)
  await service.settled()
  await service.stop()
  await writeHistory(
    { TAKT_DATA_DIR: dataDir },
    {
      days,
      runs,
      annotations: runs / 4,
      operatorRuns: runs / 4,
      operations: runs / 10,
    },
  )
}

async function measure(store: Awaited<ReturnType<typeof openEmbeddedStore>>): Promise<void> {
  const machines: MachineRecord[] = []
  // Machines are few of the records, but the rest of the store is warm after this too.
  await createStoredRecords(store).readRecords(page => {
    for (const { kind, after } of page) if (kind === 'machine' && after) machines.push(after)
  })
  const companyId = machines[0]?.companyId ?? ''
  const anyMachine = () => machines[Math.floor(Math.random() * machines.length)]?.id ?? ''
  const anyHour = () => firstMs + Math.floor(Math.random() * days * 24) * hourMs
  const history = recordHistory(store)
  console.log(`${runs} runs, ${runs / 4} annotations and sign-ins of ${machines.length} machines in ${days} days`)

  const hour = (): MachineSpan => {
    const fromMs = anyHour()
    return { machineId: anyMachine(), fromMs, toMs: fromMs + hourMs }
  }
  const block = (): MachineSpan => {
    const fromMs = Math.floor(anyHour() / recordIntervalMs) * recordIntervalMs
    return { machineId: anyMachine(), fromMs, toMs: fromMs + recordIntervalMs }
  }
  const spans = (count: number, span: () => MachineSpan) => () =>
    history.readRecords(companyId, Array.from({ length: count }, span), maxSignInMs)
  const list = { companyId, machineIds: null, after: null, limit: 1_000 } as const
  const page = (kind: 'jobRun' | 'annotation' | 'operatorRun') => () => {
    const range = { fromMs: anyHour(), toMs: null }
    return kind === 'jobRun'
      ? readTimedRecords(store, timedKinds.jobRun, { ...list, ...range }, {})
      : kind === 'annotation'
        ? readTimedRecords(store, timedKinds.annotation, { ...list, ...range }, {})
        : readTimedRecords(store, timedKinds.operatorRun, { ...list, ...range }, {})
  }
  await measureReads('a SELECT of a constant', 50, () => store.query(sql`SELECT 1 AS one`))
  await measureReads('an hour of a machine', 50, spans(1, hour))
  await measureReads('30 days of a machine', 50, spans(1, block))
  await measureReads('hours of 10 machines', 20, spans(10, hour))
  await measureReads('hours of 500 machines', 5, spans(500, hour))
  await measureReads('30 days of 500 machines', 5, spans(500, block))
  await measureReads('the next run of a machine', 50, () =>
    history.readNextRunStart(companyId, anyMachine(), anyHour()),
  )
  await measureReads('annotations of an hour of a machine', 50, () => {
    const { machineId, fromMs, toMs } = hour()
    return readAnnotations(store, companyId, [machineId], { fromMs, toMs }, {})
  })
  await measureReads('annotations of a day of all machines', 20, () => {
    const fromMs = anyHour()
    const ids = machines.map(({ id }) => id)
    return readAnnotations(store, companyId, ids, { fromMs, toMs: fromMs + dayMs }, {})
  })
  for (const kind of ['jobRun', 'annotation', 'operatorRun'] as const)
    await measureReads(`a page of 1,000: ${kind}`, 20, page(kind))
}

async function measureReads(name: string, times: number, read: () => Promise<unknown>): Promise<void> {
  await read()
  const durations = new Times()
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) durations.add(await timed(read))
  const { user, system } = process.cpuUsage(before)
  console.log(`${name}: ${durations.toString()}, CPU ${((user + system) / 1000 / times).toFixed(0)} ms`)
}
