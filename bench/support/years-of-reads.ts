import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildService } from '../../test/support/child-service.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { Times, timed } from '../reports/measure.ts'

const pageSize = 1_000
const lists = ['/job-runs', '/annotations', '/operator-runs'] as const

interface Item {
  readonly id: string
  readonly machineId: string
  readonly reasonId: number
  readonly startAt: string
  readonly endAt: string
}

interface Run {
  readonly id: string
  readonly machineId: string
  readonly jobOperationId: string
  readonly startAt: string
}

interface Report {
  readonly entities: Readonly<Record<string, Readonly<Record<string, { readonly name: string }>>>>
  readonly items: readonly {
    readonly entity: { readonly id: string }
    readonly aggregate: Readonly<Record<string, number | null>>
  }[]
}

/** Calls the service and returns the body; rejects for another status. */
export async function expectStatus(
  { call }: ChildService,
  status: number,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await call(method, path, body)
  if (response.status !== status)
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

async function readItems(service: ChildService, path: string): Promise<readonly Item[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's lists
  return (await expectStatus(service, 200, 'GET', path)) as readonly Item[]
}

/** Measures pages of lists, from the first record on and from times spread over the history, each once. */
export async function measureLists(service: ChildService, fromMs: number, days: number): Promise<void> {
  for (const list of lists) {
    const [chained, spread] = [new Times(), new Times()]
    let after = ''
    for (let page = 0; page < 10; page++)
      chained.add(
        await timed(async () => {
          const items = await readItems(service, `${list}?limit=${pageSize}${after}`)
          after = `&after=${encodeURIComponent(items.at(-1)?.id ?? '')}`
        }),
      )
    for (let part = 0; part < 10; part++) {
      const start = new Date(fromMs + ((part + 0.5) / 10) * days * dayMs).toISOString()
      spread.add(await timed(() => readItems(service, `${list}?limit=${pageSize}&start=${start}`)))
    }
    console.log(`  a page of ${list}: one after the other ${chained.toString()}; at ten times ${spread.toString()}`)
  }
}

/** Measures runs by the time of their end in GraphQL, of a day at ten times of the history. */
export async function measureClosedRuns(service: ChildService, fromMs: number, days: number): Promise<void> {
  const times = new Times()
  for (let part = 0; part < 10; part++) {
    const startMs = fromMs + ((part + 0.5) / 10) * days * dayMs
    const [from, to] = [startMs, startMs + dayMs].map(ms => new Date(ms).toISOString())
    const query = `{ activitySets(where: { closedAt: { _gte: "${from}", _lt: "${to}" } }, order_by: [{ closedAt: asc }], limit: 100) { activitySetRef closedAt } }`
    times.add(await timed(() => expectStatus(service, 200, 'POST', '/graphql', { query })))
  }
  console.log(`  GraphQL: 100 runs by closedAt ${times.toString()}`)
}

/** Measures how soon the downtime report is right after the change of an annotation of the first days. */
export async function measureOldAnnotation(service: ChildService, fromMs: number): Promise<void> {
  const [annotation] = await readItems(service, `/annotations?limit=1&start=${new Date(fromMs).toISOString()}`)
  if (!annotation) throw new Error('The history has no annotation')
  const startMs = Date.parse(annotation.startAt)
  await postStop(service, annotation.machineId, startMs)
  const request = {
    ...daysAround(startMs),
    groupBy: [{ group: 'reason' }],
    filter: { machine: [annotation.machineId] },
  }
  const read = async (reasonId: number): Promise<number> => {
    const { items } = await readReport(service, 'downtime', request)
    return items.find(({ entity }) => entity.id === String(reasonId))?.aggregate['downtimeMs'] ?? 0
  }
  const { id, reasonId: previousId, ...fields } = annotation
  const reasonId = previousId === 1 ? 2 : 1
  const movedMs = Math.min(Date.parse(annotation.endAt) - startMs, hourMs)
  const expectedMs = (await read(reasonId)) + movedMs
  const ms = await timed(async () => {
    await expectStatus(service, 200, 'PUT', `/annotations/${id}`, { ...fields, reasonId })
    while ((await read(reasonId)) < expectedMs) await sleep(20)
  })
  console.log(`  an annotation of the first day changed: report right after ${ms.toFixed(0)} ms`)
}

/** Measures how soon the production report is right after a correction of the operation of a run of the first days. */
export async function measureOldOperation(service: ChildService, fromMs: number): Promise<void> {
  const { machineId, jobOperationId, startAt } = await readRun(service, fromMs)
  await postStop(service, machineId, Date.parse(startAt) + hourMs)
  const request = {
    ...daysAround(Date.parse(startAt)),
    data: [{ metric: 'idealPartsPerHour' }],
    groupBy: [{ group: 'jobOperation' }],
    filter: { machine: [machineId] },
  }
  const read = async (): Promise<number | null> => {
    const { items } = await readReport(service, 'production', request)
    return items.find(({ entity }) => entity.id === jobOperationId)?.aggregate['idealPartsPerHour'] ?? null
  }
  const path = `/job-operations/${jobOperationId}`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's operation
  const { id: _, ...fields } = (await expectStatus(service, 200, 'GET', path)) as { readonly id: string }
  const perHour = (await read()) === 120 ? 60 : 120
  const ms = await timed(async () => {
    await expectStatus(service, 200, 'PUT', path, { ...fields, idealPartTime: hourMs / perHour })
    while ((await read()) !== perHour) await sleep(20)
  })
  console.log(`  the operation of a run of the first day corrected: report right after ${ms.toFixed(0)} ms`)
}

/** Measures a report that names the last runs of the history, which have the highest refs. */
export async function measureNamedRuns(service: ChildService): Promise<void> {
  const yesterdayMs = Math.floor(Date.now() / dayMs - 1) * dayMs
  const { id, machineId, startAt } = await readRun(service, yesterdayMs)
  await postStop(service, machineId, Date.parse(startAt) + hourMs)
  const request = {
    ...daysAround(yesterdayMs),
    data: [{ metric: 'timeInCycle' }],
    groupBy: [{ group: 'jobOperationRun' }],
  }
  let report: Report | undefined
  const ms = await timed(async () => (report = await readReport(service, 'production', request)))
  const names = Object.values(report?.entities['jobOperationRun'] ?? {})
  if (!names.some(({ name }) => name.includes(id))) throw new Error(`The report does not name run ${id}`)
  console.log(`  a report of three days by job run, ${names.length} runs: ${ms.toFixed(0)} ms`)
}

async function readRun(service: ChildService, fromMs: number): Promise<Run> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's list
  const [run] = (await expectStatus(service, 200, 'GET', runsFrom(fromMs))) as readonly Run[]
  if (!run) throw new Error('The history has no run')
  return run
}

function runsFrom(ms: number): string {
  return `/job-runs?limit=1&start=${new Date(ms).toISOString()}`
}

/** Posts an hour of activity, a stop of an hour from `startMs` on, and another hour of activity; resolves when reports contain them. */
async function postStop(service: ChildService, machineId: string, startMs: number): Promise<void> {
  const sampleAt = (ms: number, value: string) => ({
    machineId,
    timestamp: new Date(ms).toISOString(),
    key: 'execution',
    type: 'EXECUTION',
    value,
  })
  const samples = ['ACTIVE', 'READY', 'ACTIVE', 'READY'].map((value, i) => sampleAt(startMs + (i - 1) * hourMs, value))
  await expectStatus(service, 202, 'POST', '/ingest/samples', samples)
  await service.settled()
}

async function readReport(service: ChildService, name: string, request: object): Promise<Report> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's reports
  return (await expectStatus(service, 200, 'POST', `/reports/${name}`, request)) as Report
}

/** The days before, of, and after an instant. */
function daysAround(ms: number): { readonly startDay: string; readonly endDay: string } {
  return { startDay: dayOf(ms - dayMs), endDay: dayOf(ms + dayMs) }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
