/**
 * Measures how fast documents are written and read, and their size on disk.
 * `node --import tsx bench/documents.ts [machines = 5000] [hours = 24]`; on a server if CLICKHOUSE_URL is set.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDocumentStore } from '../clickhouse/documents/documents.ts'
import { documentBlock } from '../clickhouse/documents/document-block.ts'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { migrate } from '../clickhouse/migrations/migrate.ts'
import { openServerStore } from '../clickhouse/client/server-store.ts'
import { sql } from '../clickhouse/sql/sql.ts'
import type { Store } from '../clickhouse/client/store.ts'
import type { VersionedDocument } from '../schema/document-store.ts'
import type { Dimensions } from '../schema/document.ts'
import { runSync } from '../shared/async/steps.ts'
import { hourMs } from '../shared/time/units.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../schema/refs.ts'

const [machines = 5000, hours = 24] = process.argv.slice(2).map(Number)
const firstSlotMs = Date.UTC(2026, 0, 5)
const refs = Array.from({ length: machines }, (_, i) => asMachineRef(i + 1))

const sizes = sql`
  SELECT table, sum(rows) AS rows, count() AS parts, sum(bytes_on_disk) AS bytes, round(bytes / rows) AS bytesPerRow
  FROM system.parts WHERE database = currentDatabase() AND active GROUP BY table ORDER BY bytes DESC`

const folder = await mkdtemp(join(tmpdir(), 'takt-bench-'))
const store = await openStore()
try {
  await migrate(store)
  await bench(store)
} finally {
  await store.close()
  await rm(folder, { recursive: true, force: true })
}

function openStore(): Promise<Store> {
  const url = process.env['CLICKHOUSE_URL']
  return url
    ? openServerStore({ url, database: `bench_${process.pid}` })
    : openEmbeddedStore({ path: folder, database: 'bench' })
}

async function bench(store: Store): Promise<void> {
  const documents = createDocumentStore(store)
  const rows = machines * hours
  const encoded = { wallMs: 0, cpuMs: 0 }
  const written = { wallMs: 0, cpuMs: 0 }
  for (let hour = 0; hour < hours; hour++) {
    const batch = refs.map(machineRef => aDocument(asMachineRef(machineRef), firstSlotMs + hour * hourMs))
    add(encoded, await timed(async () => runSync(documentBlock(batch))))
    add(written, await timed(() => documents.writeDocuments(batch)))
  }
  console.log(`encode alone     ${rate(rows, encoded)}`)
  console.log(`writeDocuments   ${rate(rows, written)}`)
  const slotMs = firstSlotMs + (hours - 1) * hourMs
  await report('readStates, all machines', () => documents.readStates(asCompanyRef(1), refs, slotMs))
  await report('readStates, 1 machine', () => documents.readStates(asCompanyRef(1), [asMachineRef(7)], slotMs))
  await report('readLinks, all', () => documents.readLinks(asCompanyRef(1), refs, firstSlotMs, slotMs + hourMs))
  await report('readBrokenLinks, none', () => documents.readBrokenLinks(asCompanyRef(1), refs))
  await report('day by machine', () =>
    store.columns(sql`SELECT machine, sum(arraySum(facts_duration_ms)), sum(arraySum(facts_in_cycle_ms)) FROM hours FINAL
      WHERE company = 1 GROUP BY machine`),
  )
  for (const row of await store.query(sizes)) console.log(JSON.stringify(row))
}

async function report(name: string, run: () => Promise<unknown>): Promise<void> {
  const times: string[] = []
  for (let i = 0; i < 5; i++) times.push((await timed(run)).wallMs.toFixed(0))
  console.log(`${name.padEnd(26)}${times.join(' ')} ms`)
}

/** Wall-clock time, and CPU time of all threads of this process. */
interface Time {
  wallMs: number
  cpuMs: number
}

async function timed(run: () => Promise<unknown>): Promise<Time> {
  const started = performance.now()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return { wallMs: performance.now() - started, cpuMs: (user + system) / 1000 }
}

function add(total: Time, { wallMs, cpuMs }: Time): void {
  total.wallMs += wallMs
  total.cpuMs += cpuMs
}

function rate(rows: number, { wallMs, cpuMs }: Time): string {
  const perSecond = (ms: number) => Math.round((rows / ms) * 1000)
  return `${perSecond(wallMs)} rows/s, ${perSecond(cpuMs)} rows/s of CPU (${rows} rows in ${Math.round(wallMs)} ms)`
}

/** A busy hour: 30 changes of state, 15 stops, 40 parts, some with an alarm. */
function aDocument(machineRef: MachineRef, slotMs: number): VersionedDocument {
  const random = generator(machineRef * 7919 + slotMs / hourMs)
  const dimensions: Dimensions = {
    shift: 1 + Math.floor((slotMs / hourMs / 8) % 3),
    run: machineRef * 10,
    operators: machineRef % 3 === 0 ? [] : [machineRef % 100],
    mode: 'production',
    scheduled: true,
    nonOptional: true,
  }
  const bounds = [0, ...Array.from({ length: 29 }, () => Math.floor(random() * hourMs)).sort((a, b) => a - b), hourMs]
  // oxlint-disable-next-line oxc/no-map-spread -- each segment is a new object
  const segments = bounds.slice(0, -1).map((start, i) => {
    const inCycle = i % 2 === 0
    return {
      ...dimensions,
      cell: 0,
      start,
      end: bounds[i + 1] ?? hourMs,
      status: inCycle ? ('ACTIVE' as const) : ('INACTIVE' as const),
      inCycle,
      spindle: inCycle,
      cut: false,
      reason: inCycle ? null : 0,
    }
  })
  const inCycleMs = segments.reduce((sum, { inCycle, start, end }) => sum + (inCycle ? end - start : 0), 0)
  const instants = Array.from({ length: 40 }, () => Math.floor(random() * hourMs)).sort((a, b) => a - b)
  return {
    companyRef: asCompanyRef(1),
    machineRef,
    slotMs,
    version: (1n << 40n) | BigInt(slotMs / hourMs),
    facts: [
      {
        ...dimensions,
        cell: 0,
        first: 0,
        last: hourMs,
        durationMs: hourMs,
        inCycleMs,
        spindleMs: inCycleMs,
        cutMs: 0,
        parts: instants.length,
        adjusted: 0,
        scrap: 0,
        nonconform: 0,
      },
    ],
    downtimes: segments.flatMap(({ start, end, reason }) =>
      reason === null ? [] : [{ ...dimensions, cell: 0, start, end, reason, recordStartMs: slotMs + start }],
    ),
    alarms:
      machineRef % 10 === 0
        ? [
            {
              key: 'system',
              nativeCode: 'E1',
              message: 'worn',
              level: 'FAULT',
              startMs: slotMs + 5,
              endMs: slotMs + 99,
            },
          ]
        : [],
    setups: [],
    segments,
    // oxlint-disable-next-line oxc/no-map-spread -- each is a new object
    parts: instants.map(at => ({ ...dimensions, cell: 0, at, parts: 1 })),
    adjustments: [],
    hashIn: String(BigInt(slotMs) * 1_000_003n + BigInt(machineRef)),
    hashOut: String(BigInt(slotMs + hourMs) * 1_000_003n + BigInt(machineRef)),
    stateOut: JSON.stringify({
      execution: { exec: 'ACTIVE' },
      parts: { partcount: slotMs / 1000 },
      at: slotMs + machineRef,
    }).repeat(8),
  }
}

/** Reproducible numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
