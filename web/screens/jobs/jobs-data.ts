import type { JobOperationResponse } from '../../../schema/records/job-operation.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { JobRunItem } from '../../../schema/requests/job-runs.ts'
import type { Client } from '../../data/client.ts'
import { byNaturalOrder } from '../../data/natural-order.ts'
import { idIn } from '../../data/production.ts'
import { hasScope, type Viewer } from '../../data/viewer.ts'

/** `planned`: it has not begun yet. */
export type RunState = 'planned' | 'setup' | 'production' | 'ended'

/** A run as it is shown. */
export interface ShownRun extends JobRunItem {
  /** Names of the job, from the job itself to the part. */
  readonly job: string
  readonly machine: string
  readonly state: RunState
  /** null: the viewer may not see reports, or there is no number. */
  readonly goodParts: number | null
  readonly rejectedParts: number | null
  /** Required number of parts; null: not specified. */
  readonly plan: number | null
}

/** Listed runs: running ones, or those of the last days; the newest up to a limit. */
export interface JobRunQuery {
  readonly show: 'running' | 'recent'
  readonly most: number
}

export interface JobsData {
  readonly show: JobRunQuery['show']
  /** Newest first, then by machine. */
  readonly runs: readonly ShownRun[]
  readonly hasMore: boolean
  /** Whether any job has run in the last days. */
  readonly hasRun: boolean
  readonly operations: readonly JobOperationResponse[]
  readonly machines: readonly MachineListItem[]
}

const dayMs = 86_400_000
/** Number of days for which runs are listed. */
const shownDays = 7

/** Loads the runs that are wished for with what was made in them: one report for all of them. */
export async function loadJobs(viewer: Viewer, { show, most }: JobRunQuery): Promise<JobsData> {
  const { client } = viewer
  const nowMs = client.now()
  const [found, operations, machines] = await Promise.all([
    show === 'running' ? readPages(client, { running: 'true' }) : recentRuns(client, nowMs, most),
    client.call('GET /job-operations'),
    client.call('GET /machines'),
  ])
  const runs = found.toReversed().slice(0, most)
  const hasRun = runs.length > 0 || (show === 'running' && (await hasRecent(client, nowMs)))
  const parts = await readParts(viewer, runs, nowMs)
  const operationOf = new Map(operations.map(operation => [operation.id, operation]))
  const machineOf = new Map(machines.map(({ id, name }) => [id, name]))
  const shown = runs.map((run): ShownRun => {
    const operation = operationOf.get(run.jobOperationId)
    const made = parts.get(run.id)
    return Object.assign({}, run, {
      job: operation ? nameOf(operation) : run.jobOperationId,
      machine: machineOf.get(run.machineId) ?? '–',
      state: stateOf(run, nowMs),
      goodParts: made?.goodParts ?? null,
      rejectedParts: made?.rejectedParts ?? null,
      plan: operation?.quantityRequired ?? null,
    })
  })
  shown.sort((a, b) => Date.parse(b.startAt) - Date.parse(a.startAt) || byNaturalOrder(a.machine, b.machine))
  return { show, runs: shown, hasMore: found.length > most, hasRun, operations, machines }
}

function stateOf({ startAt, endAt, startInSetup, productionAt }: JobRunItem, nowMs: number): RunState {
  if (Date.parse(startAt) > nowMs) return 'planned'
  if (endAt !== null && Date.parse(endAt) <= nowMs) return 'ended'
  return startInSetup && (productionAt === null || Date.parse(productionAt) > nowMs) ? 'setup' : 'production'
}

const pageSize = 10_000

async function readPages(client: Client, query: Readonly<Record<string, string>>): Promise<readonly JobRunItem[]> {
  const runs: JobRunItem[] = []
  for (let after = ''; ;) {
    const page = await client.call('GET /job-runs', { query: { ...query, after, limit: String(pageSize) } })
    runs.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return runs
    after = last.id
  }
}

/** Runs of the last days, by start: of one day where more than `most` began in it. The service has the oldest first. */
async function recentRuns(client: Client, nowMs: number, most: number): Promise<readonly JobRunItem[]> {
  const start = startOf(nowMs, 1)
  const ofDay = await readPages(client, { start })
  const begun = ofDay.filter(({ startAt }) => startAt >= start)
  return begun.length > most ? begun : readPages(client, { start: startOf(nowMs, shownDays) })
}

async function hasRecent(client: Client, nowMs: number): Promise<boolean> {
  const runs = await client.call('GET /job-runs', { query: { start: startOf(nowMs, shownDays), limit: '1' } })
  return runs.length > 0
}

function startOf(nowMs: number, days: number): string {
  return new Date(nowMs - days * dayMs).toISOString()
}

function nameOf({ jobName, operationName, lotName, partName }: JobOperationResponse): string {
  return [jobName, operationName, lotName, partName].filter(name => name !== '').join(' · ')
}

type Made = Pick<ShownRun, 'goodParts' | 'rejectedParts'>

async function readParts(
  viewer: Viewer,
  runs: readonly JobRunItem[],
  nowMs: number,
): Promise<ReadonlyMap<string, Made>> {
  const starts = runs.map(({ startAt }) => Date.parse(startAt)).filter(startMs => startMs < nowMs)
  if (starts.length === 0 || !hasScope(viewer, 'reporting')) return new Map()
  const earliestMs = Math.max(Math.min(...starts), nowMs - maxReportDays * dayMs)
  const { items } = await viewer.client.call('POST /reports/production', {
    body: {
      start: new Date(earliestMs).toISOString(),
      end: new Date(nowMs).toISOString(),
      data: ['goodParts', 'rejectedParts'],
      groupBy: ['jobOperationRun'],
      flatten: true,
    },
  })
  return new Map(
    items.map(row => {
      const { goodParts = null, rejectedParts = null } = row
      return [idIn(row, 'jobOperationRun'), { goodParts, rejectedParts }]
    }),
  )
}

/** A run that began earlier is counted from then on. */
const maxReportDays = 92
