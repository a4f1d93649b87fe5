import type { JobOperationAnswer } from '../../../schema/records/job-operation.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { JobRunItem } from '../../../schema/requests/job-runs.ts'
import { idIn } from '../../data/production.ts'
import { holds, type Viewer } from '../../data/viewer.ts'

/** A run as it is shown. */
export interface ShownRun extends JobRunItem {
  /** Names of the job, from the job itself to the part. */
  readonly job: string
  readonly machine: string
  readonly isRunning: boolean
  readonly isInSetup: boolean
  /** null: the viewer may not see reports, or there is no number. */
  readonly goodParts: number | null
  readonly rejectedParts: number | null
  /** Parts that are required; null: nobody said how many. */
  readonly plan: number | null
}

export interface JobsData {
  /** Newest first. */
  readonly runs: readonly ShownRun[]
  readonly operations: readonly JobOperationAnswer[]
  readonly machines: readonly MachineListItem[]
}

const dayMs = 86_400_000
/** Runs are shown of so many days. */
const shownDays = 7

/** Loads the runs of the last days with what was made in them: one report for all of them. */
export async function loadJobs(viewer: Viewer): Promise<JobsData> {
  const { client } = viewer
  const nowMs = client.now()
  const start = new Date(nowMs - shownDays * dayMs).toISOString()
  const [runs, operations, machines] = await Promise.all([
    client.call('GET /job-runs', { query: { start, limit: '1000' } }),
    client.call('GET /job-operations'),
    client.call('GET /machines'),
  ])
  const parts = await partsOf(viewer, runs, nowMs)
  const operationOf = new Map(operations.map(operation => [operation.id, operation]))
  const machineOf = new Map(machines.map(({ id, name }) => [id, name]))
  const shown = runs.map((run): ShownRun => {
    const operation = operationOf.get(run.jobOperationId)
    const made = parts.get(run.id)
    const isRunning = run.endAt === null && Date.parse(run.startAt) <= nowMs
    return Object.assign({}, run, {
      job: operation ? nameOf(operation) : run.jobOperationId,
      machine: machineOf.get(run.machineId) ?? '–',
      isRunning,
      isInSetup: run.startInSetup && (run.productionAt === null || Date.parse(run.productionAt) > nowMs),
      goodParts: made?.goodParts ?? null,
      rejectedParts: made?.rejectedParts ?? null,
      plan: operation?.quantityRequired ?? null,
    })
  })
  return { runs: shown.toReversed(), operations, machines }
}

function nameOf({ jobName, operationName, lotName, partName }: JobOperationAnswer): string {
  return [jobName, operationName, lotName, partName].filter(name => name !== '').join(' · ')
}

interface Made {
  readonly goodParts: number | null
  readonly rejectedParts: number | null
}

async function partsOf(viewer: Viewer, runs: readonly JobRunItem[], nowMs: number): Promise<ReadonlyMap<string, Made>> {
  const starts = runs.map(({ startAt }) => Date.parse(startAt)).filter(startMs => startMs < nowMs)
  if (starts.length === 0 || !holds(viewer, 'reporting')) return new Map()
  const earliestMs = Math.max(Math.min(...starts), nowMs - mostReportDays * dayMs)
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
const mostReportDays = 92
