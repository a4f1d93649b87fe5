/**
 * Measures a service with years of ended job runs, annotations, operator runs and operations in its store: the start, its memory, changes
 * of runs, the search for the uses of a reason, the change of an old annotation and of an old operation, pages of lists, runs by the time of
 * their end, and a report that names runs. The parts of the tables stay as the writers leave them; no read is repeated. `servers`: a process
 * for each role, on a Kafka broker and ClickHouse over HTTP.
 * `node --import tsx bench/years.ts [ended runs = 20000000] [machines = 5000] [embedded | servers] [folder that is kept and used again]`
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSystem, systems } from '../test/releases/systems.ts'
import { startChild, type ChildService } from '../test/support/child-service.ts'
import { Times, timed } from './reports/measure.ts'
import { addMachines } from './support/machines.ts'
import { cpuOf, memoryOf, peakMemoryOf } from './support/usage.ts'
import {
  expectStatus,
  measureClosedRuns,
  measureLists,
  measureNamedRuns,
  measureOldAnnotation,
  measureOldOperation,
} from './support/years-of-reads.ts'
import { writeHistory } from './support/years-of-records.ts'
import { namesOfOperation } from './support/years-of-rows.ts'
import { dayMs } from '../shared/time/units.ts'

const [runs = 20_000_000, machines = 5_000] = process.argv.slice(2, 4).map(Number)
const [, , , , systemName = 'embedded', kept] = process.argv
const system = systems.find(known => known === systemName)
if (!system) throw new Error(`Unknown system ${systemName}; known: ${systems.join(', ')}`)
/** 2.7 runs per machine and day, as 20 million runs of 5,000 machines in four years. */
const days = Math.max(1, Math.round(runs / machines / 2.74))
const history = { days, runs, annotations: runs / 4, operatorRuns: runs / 4, operations: runs / 10 }
const restMs = 20_000
const dispatches = 50
/** Pause before a dispatch: without it, the inserts of the one before delay it. */
const pauseMs = 200

const fromMs = Math.floor(Date.now() / dayMs - days) * dayMs
const dataDir = kept ?? mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const filled = join(dataDir, 'filled')
const processRoles = system === 'embedded' ? ['all roles'] : ['ingest', 'process', 'api', 'connect']
const running = await startSystem(system, dataDir)
if (!running) throw new Error('Kafka is missing')
const { settings } = running
let plant: Plant | undefined
try {
  if (!existsSync(filled)) await fill()
  console.log(`${runs} runs of ${machines} machines in ${days} days, ${system}`)
  await measureStart('first start', ({ stop }) => stop())
  await measureStart('start after a stop', async ({ service, memory, kill }) => {
    await sleep(restMs)
    console.log(`  at rest ${memory(memoryOf)}`)
    await measureChanges(service)
    await measureOldAnnotation(service, fromMs)
    await measureOldOperation(service, fromMs)
    await measureNamedRuns(service)
    await measureLists(service, fromMs, days)
    await measureClosedRuns(service, fromMs, days)
    console.log(`  peak ${memory(peakMemoryOf)}`)
    await kill()
  })
  await measureStart('start after a kill', ({ stop }) => stop())
} finally {
  await plant?.kill()
  await running.shutDown()
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true })
}

/** The processes of the service. */
interface Plant {
  /** The process that answers requests. */
  readonly service: ChildService
  /** The memory of each process, as text. */
  readonly memory: (of: (pid: number) => number) => string
  readonly cpuSeconds: () => number
  readonly stop: () => Promise<unknown>
  readonly kill: () => Promise<unknown>
}

async function startPlant(): Promise<Plant> {
  const children = await Promise.all(
    processRoles.map(role => {
      const own = { TAKT_ROLES: role, TAKT_DATA_DIR: join(dataDir, role) }
      return startChild({ ...settings, ...(system === 'servers' && own) })
    }),
  )
  const service = children[processRoles.indexOf('api')] ?? children[0]
  if (!service) throw new Error('No process has started')
  plant = {
    service,
    memory: of => children.map(({ pid }, i) => `${processRoles[i]} ${of(pid).toFixed(0)} MB`).join(', '),
    cpuSeconds: () => children.reduce((sum, { pid }) => sum + cpuOf(pid).all / 1_000_000, 0),
    stop: () => Promise.all(children.map(child => child.stop())),
    kill: () => Promise.all(children.map(child => child.kill())),
  }
  return plant
}

async function fill(): Promise<void> {
  const { service, memory, stop } = await startPlant()
  const [first = ''] = await addMachines(service, machines)
  await service.call('PUT', `/machines/${first}`, { name: 'M1', erpMachineId: 'M1' })
  await service.settled()
  await sleep(restMs)
  console.log(`without history at rest ${memory(memoryOf)}`)
  await measureDispatches(service, 'new operations', run => ({ jobName: `Empty ${run}` }))
  await stop()
  await writeHistory(settings, history)
  writeFileSync(filled, '')
}

async function measureStart(name: string, work: (plant: Plant) => Promise<unknown>): Promise<void> {
  const beforeMs = performance.now()
  const started = await startPlant()
  const { service } = started
  let status = 0
  while (status !== 200) status = (await service.call('GET', '/machines')).status
  const seconds = (performance.now() - beforeMs) / 1000
  console.log(`${name}: first response after ${seconds.toFixed(1)} s, CPU ${started.cpuSeconds().toFixed(1)} s`)
  // The registrar has taken over when it answers.
  await expectStatus(service, 200, 'PUT', '/operators/operator-0', { name: 'Operator 0' })
  console.log(`  first change after ${((performance.now() - beforeMs) / 1000).toFixed(1)} s`)
  await work(started)
}

async function measureChanges(service: ChildService): Promise<void> {
  await measureDispatches(service, 'new operations', run => ({ jobName: `New ${run}` }))
  await measureDispatches(service, 'operations of the history', () => {
    const index = Math.floor(Math.random() * history.operations)
    return namesOfOperation(index)
  })
  for (const id of [1, 2])
    console.log(
      `  uses of reason ${id}: ${(await timed(() => expectStatus(service, 409, 'DELETE', `/downtime-reasons/${id}`))).toFixed(0)} ms`,
    )
}

async function measureDispatches(
  service: ChildService,
  what: string,
  namesOf: (run: string) => Readonly<Record<string, string>>,
): Promise<void> {
  const [starts, ends] = [new Times(), new Times()]
  for (let i = 0; i < dispatches; i++) {
    const run = `R${Date.now()}-${i}`
    const body = { erpJobOperationRunId: run, erpMachineId: 'M1', ...namesOf(run) }
    await sleep(pauseMs)
    starts.add(await timed(() => expectStatus(service, 200, 'POST', '/erp/jobdispatch/start', body)))
    await sleep(pauseMs)
    ends.add(
      await timed(() => expectStatus(service, 200, 'POST', '/erp/jobdispatch/stop', { erpJobOperationRunId: run })),
    )
  }
  console.log(`  runs of ${what}: start ${starts.toString()}; end ${ends.toString()}`)
}
