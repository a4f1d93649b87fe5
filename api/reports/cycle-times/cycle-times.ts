import { float, listOf, machineRef, narrow, wide } from '../../../clickhouse/client/kinds.ts'
import { firstRow, type RowOf, rows } from '../../../clickhouse/client/rows.ts'
import { int64, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { ofMachines } from '../../../clickhouse/tables/from.ts'
import { fromNewestRuns } from '../../../clickhouse/projections/newest-runs.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { fieldError, validationError } from '../../../schema/errors.ts'
import type { CycleTimesResponse } from '../../../schema/requests/cycle-times.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { dayMs } from '../../../shared/time/units.ts'
import type { CompanyView } from '../company/company-view.ts'
import { findOperations } from '../company/job-operations.ts'
import { readScope } from '../compile/select.ts'
import { planReport, type ReportPlan } from '../plan/plan.ts'
import type { QueryContext } from '../query/query.ts'
import type { ProvisionalDeps } from '../sources/provisional-documents.ts'
import { compileCycleTimes } from './compile.ts'
import { parseCycleTimes } from './request.ts'

/** Limit of the time that is read, in days of one machine: the engine sorts its segments in memory. */
const maxMachineDays = 2_000

/**
 * `POST /reports/cycle-times`: the lengths of the cycles of a job operation. A cycle counts if it lies wholly in the range and in one job
 * run after its setup, and if the machine is known not to be in cycle before and after it. Rejects as reports do.
 */
export async function reportCycleTimes(
  body: unknown,
  view: CompanyView,
  queries: QueryContext & ProvisionalDeps,
): Promise<CycleTimesResponse> {
  const { jobOperation, ...request } = parseCycleTimes(body)
  const unnamed = { report: 'production', groupBy: [], file: null, flatten: false } as const
  const plan = planReport({ ...unnamed, ...request }, { ...view, runsOfOperation: () => [] })
  const [operation] = plan.matchesNothing ? [] : await findOperations(view, [jobOperation], queries)
  const found = operation ? await readCycles(plan, operation.ref, view, queries) : null
  return present(plan.range, found)
}

const shape = {
  cycleCount: wide,
  p10Ms: wide,
  medianMs: wide,
  p90Ms: wide,
  standardMs: float,
  aboveStandardCount: wide,
  widthMs: wide,
  firstBin: wide,
  counts: listOf(narrow),
  shorterCount: narrow,
  longerCount: narrow,
} as const

type FoundCycles = RowOf<typeof shape>

/** null: the operation has no job run in the range. */
async function readCycles(
  plan: ReportPlan,
  operationRef: number,
  view: CompanyView,
  queries: QueryContext & ProvisionalDeps,
): Promise<FoundCycles | null> {
  const times = await readTimes(plan, operationRef, queries)
  if (times.length === 0) return null
  const startMs = times.reduce((least, time) => Math.min(least, time.startMs), Infinity)
  const endMs = times.reduce((most, time) => Math.max(most, time.endMs), -Infinity)
  if ((endMs - startMs) * times.length > maxMachineDays * dayMs) throw tooMuchTime(times.length, endMs - startMs)
  // With the instants before and after, at which the machine must not be in cycle.
  const readRange = { startMs: startMs - 1, endMs: Math.min(endMs + 1, view.nowMs) }
  const machines = times.map(time => time.machineRef)
  const scope = await readScope(readRange, machines, { ...queries, view })
  const { range, filters } = plan
  const query = compileCycleTimes({ range, readRange, operationRef, filters, lastRun: view.lastRun }, scope)
  return firstRow(queries.store, query, shape, queries.options)
}

/** The machines with job runs of the operation in the range, and the time from the first to the last of these, cut to the range. */
async function readTimes(
  { companyRef, range, filters }: ReportPlan,
  operationRef: number,
  { store, options }: QueryContext,
) {
  const [startMs, endMs] = [int64(range.startMs), int64(range.endMs)]
  const where = [
    sql`operation = ${uint32(operationRef)}`,
    sql`start_ms < ${endMs}`,
    sql`end_ms > ${startMs}`,
    ...(filters.machines ? [ofMachines(filters.machines)] : []),
  ]
  const query = sql`
SELECT machine AS machineRef, min(greatest(start_ms, ${startMs})) AS startMs, max(least(end_ms, ${endMs})) AS endMs
${fromNewestRuns(companyRef, where)}
GROUP BY machine`
  return rows(store, query, { machineRef, startMs: wide, endMs: wide }, options)
}

function tooMuchTime(machines: number, ms: number) {
  const message =
    `The job runs are on ${machines} machines and span ${Math.ceil(ms / dayMs)} days: the product must be at most ${maxMachineDays}. ` +
    'Select a shorter range or fewer machines'
  return validationError([fieldError('start', 'OutOfRange', message)])
}

/** Pure: the response for the cycles of a range. */
function present({ startMs, endMs }: TimeRange, found: FoundCycles | null): CycleTimesResponse {
  const range = { start: isoText(startMs), end: isoText(endMs) }
  if (found === null || found.cycleCount === 0) return { range, ...noCycles }
  const { counts, firstBin, widthMs, standardMs, ...values } = found
  const bins = counts.map((cycleCount, index) => {
    const fromMs = (firstBin + index) * widthMs
    return { fromMs, toMs: fromMs + widthMs, cycleCount }
  })
  return { range, ...values, standardMs: standardMs > 0 ? standardMs : null, bins }
}

const noCycles = {
  cycleCount: 0,
  p10Ms: null,
  medianMs: null,
  p90Ms: null,
  standardMs: null,
  aboveStandardCount: 0,
  bins: [],
  shorterCount: 0,
  longerCount: 0,
}
