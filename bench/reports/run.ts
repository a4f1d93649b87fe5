/**
 * How long a day's production report by machine takes, from the parsed body to the JSON text, on a plant of 5,000 machines whose
 * documents of 48 hours came in through the product's own writer.
 *
 *   node --import tsx bench/report-day.ts [machines=5000] [hours=48] [hours of a job run=8] [repeats=15]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDocumentStore } from '../clickhouse/documents.ts'
import { openEmbeddedStore } from '../clickhouse/embedded-store.ts'
import { migrate } from '../clickhouse/migrate.ts'
import { type Fact, type HourDocument, hourMs, type Segment } from '../schema/document.ts'
import { metrics } from '../schema/metrics.ts'
import { TestPlant } from '../test/api/reports/plant-support.ts'

const [machines = 5000, hours = 48, runHours = 8, repeats = 15] = process.argv.slice(2).map(Number)
const startMs = Date.parse('2026-03-02T00:00:00.000Z')
const endMs = startMs + hours * hourMs
const common = ['oee', 'availability', 'performance', 'quality', 'totalParts', 'goodParts', 'timeInCycle', 'downtime']
const day = { start: new Date(endMs - 30.4 * hourMs).toISOString(), end: new Date(endMs - 6.4 * hourMs).toISOString() }

const path = await mkdtemp(join(tmpdir(), 'takt-bench-'))
const store = await openEmbeddedStore({ path, database: 'bench' })
try {
  await migrate(store)
  await load()
  const plant = fillPlant()
  await plant.project(store)
  const reports = plant.reports(store, () => endMs)
  const report = (name: string, body: object) =>
    measure(name, () => reports.production(plant.company.id, body).then(answer => answer.body))
  const data = common.map(metric => ({ metric }))
  const byMachine = { ...day, data, groupBy: [{ group: 'machine' }] }
  await report('a day by machine, 8 metrics', byMachine)
  await report('a day by machine, 3 metrics without jobs', { ...byMachine, data: data.slice(6) })
  await report('a day by machine, every metric', {
    ...byMachine,
    data: Object.keys(metrics).map(metric => ({ metric })),
  })
  await report('a day by shift', { ...byMachine, groupBy: [{ group: 'shift' }] })
  await report('a day by machineGroup and operator', {
    ...byMachine,
    groupBy: [{ group: 'machineGroup' }, { group: 'operator' }],
  })
  await report('a day of one machine by hour', {
    ...byMachine,
    filter: { machine: [plant.records.machineByRef(17)?.id] },
    groupBy: [{ group: 'hour' }],
  })
  await report('a day by machine and hour', { ...byMachine, groupBy: [{ group: 'machine' }, { group: 'hour' }] })
} finally {
  await store.close()
  await rm(path, { recursive: true, force: true })
}

async function measure(name: string, run: () => Promise<{ items: readonly unknown[] }>): Promise<void> {
  const times: number[] = []
  let size = ''
  let cpuUs = 0
  for (let i = 0; i < repeats + 3; i++) {
    const before = performance.now()
    const cpu = process.cpuUsage()
    const body = await run()
    const text = JSON.stringify(body)
    const { user, system } = process.cpuUsage(cpu)
    if (i >= 3) times.push(performance.now() - before)
    if (i >= 3) cpuUs += user + system
    size = `${body.items.length} items, ${(text.length / 1e6).toFixed(1)} MB`
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0).toFixed(0)
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, CPU ${(cpuUs / repeats / 1000).toFixed(0)} ms (${size})`)
}

async function load(): Promise<void> {
  const before = performance.now()
  const documents = createDocumentStore(store)
  for (let slotMs = startMs; slotMs < endMs; slotMs += hourMs) {
    const ofHour = Array.from({ length: machines }, (_, i) => ({ ...documentOf(i + 1, slotMs), version: 1n }))
    await documents.writeDocuments(ofHour)
  }
  console.log(`${machines * hours} documents loaded in ${((performance.now() - before) / 1000).toFixed(1)} s`)
}

/** Twelve segments in turn in and out of cycle; a run changes in the middle of an hour. */
function documentOf(machine: number, slotMs: number): HourDocument {
  const hour = (slotMs - startMs) / hourMs
  const changes = (machine + hour) % runHours === 0
  const segments = Array.from({ length: 12 }, (_, i): Segment => {
    const late = Number(changes && i >= 6)
    return {
      cell: 0,
      start: i * 300_000,
      end: (i + 1) * 300_000,
      status: i % 2 === 0 ? 'ACTIVE' : 'INACTIVE',
      inCycle: i % 2 === 0,
      spindle: i % 2 === 0,
      cut: i % 4 === 0,
      reason: i % 2 === 0 ? null : 0,
      ...dimensionsAt(machine, hour, late),
    }
  })
  const facts = changes ? [factOf(segments.slice(0, 6)), factOf(segments.slice(6))] : [factOf(segments)]
  return {
    company: 1,
    machine,
    slotMs,
    segments,
    facts,
    downtimes: segments.flatMap(segment =>
      segment.reason === null ? [] : [{ ...segment, reason: segment.reason, recordStartMs: slotMs + segment.start }],
    ),
    alarms: [],
    setups: [],
    parts: segments.flatMap(segment => [{ ...segment, at: segment.start + 1000, parts: 5 }]),
    adjustments: [],
    hashIn: '1',
    hashOut: '1',
    stateOut: '{}',
  }
}

function dimensionsAt(machine: number, hour: number, late: number) {
  const shift = 1 + (Math.floor(hour / 8) % 3)
  const run =
    machine * 64 +
    1 +
    Math.floor(((machine % runHours) + hour) / runHours) -
    Number((machine + hour) % runHours === 0) +
    late
  return {
    shift,
    run,
    operators: [1 + (machine % 200)],
    mode: 'production',
    scheduled: true,
    nonOptional: true,
  } as const
}

function factOf(segments: readonly Segment[]): Fact {
  const [first] = segments
  if (!first) throw new Error('a fact is of segments')
  const sum = (counts: (segment: Segment) => boolean) =>
    segments.reduce((ms, segment) => ms + (counts(segment) ? segment.end - segment.start : 0), 0)
  return {
    ...first,
    first: first.start,
    last: segments.at(-1)?.end ?? 0,
    durationMs: sum(() => true),
    inCycleMs: sum(({ inCycle }) => inCycle),
    spindleMs: sum(({ spindle }) => spindle),
    cutMs: sum(({ cut }) => cut),
    parts: 5 * segments.length,
    adjusted: 0,
    scrap: 0,
    nonconform: 0,
  }
}

/** Machines in 20 groups, 200 operators, 400 operations with ideal times, and the runs that the documents name. */
function fillPlant(): TestPlant {
  const plant = new TestPlant({}, 1)
  const companyId = plant.company.id
  for (let i = 0; i < 20; i++) plant.put('machineGroup', { id: `group-${i}`, ref: i + 1, companyId, name: `Line ${i}` })
  for (let i = 1; i <= 200; i++)
    plant.put('operator', { id: `operator-${i}`, ref: i, companyId, name: `Operator ${i}` })
  for (let i = 0; i < 400; i++) plant.operation(i, { idealPartTime: 50_000 + i, expectedPartTime: 60_000 })
  for (let ref = 1; ref <= machines; ref++) {
    const machine = plant.machine(ref, {
      machineGroupIds: [`group-${ref % 20}`],
      createdAt: new Date(startMs).toISOString(),
    })
    for (let run = 0; run <= hours / runHours + 2; run++) {
      const startAt = new Date(startMs + run * runHours * hourMs).toISOString()
      const names = { id: `run-${ref}-${run}`, jobOperationId: `operation-${(ref + run) % 400}` }
      plant.run(ref * 64 + run, machine, { ...names, startAt, told: run })
    }
  }
  return plant
}
