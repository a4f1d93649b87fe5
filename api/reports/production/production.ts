import type { Files } from '../../files/files.ts'
import { keepReport } from '../../files/keep-report.ts'
import { metricColumns, reportTable } from '../../files/report-table.ts'
import type { FileTarget } from '../../files/table.ts'
import { askingFor, type RunDeps } from '../ask.ts'
import type { Columns } from '../columns.ts'
import { createGroupingLevels, type GroupingLevel } from '../grouping-levels.ts'
import type { Circumstances } from '../plan.ts'
import { cellRows, presentGroups, type ReportBody } from '../present.ts'
import type { ProductionRequest } from '../request.ts'
import { explainLimit } from '../too-large.ts'
import { keyNames } from './compile.ts'
import { fold } from './fold.ts'
import { type Plan, planProduction } from './plan.ts'
import { present } from './present.ts'
import { keepsNothing, run, runToSnapshot } from './run.ts'
import { storedTable } from './stored-table.ts'
import { tableLevels } from './table-levels.ts'

export interface ProductionDeps extends RunDeps {
  /** Keeps reports as files. */
  readonly files: Pick<Files, 'keep'>
}

/** Makes a report, and its file where one is wanted. Rejects with an `ApiError` where it asks for too much, or with a `StoreError`. */
export async function makeProduction(
  request: ProductionRequest,
  circumstances: Circumstances,
  deps: ProductionDeps,
  signal?: AbortSignal,
): Promise<ReportBody> {
  const plan = planProduction(request, circumstances)
  const hasRows = request.groupBy.length > 0 && !keepsNothing(plan)
  if (request.csv && hasRows) return makeWithFile(request, plan, circumstances, deps, signal)
  const dimensions = levelsOf(request, plan, circumstances)
  const presenter = presenterOf(request, plan, dimensions, await run(plan, circumstances.view, deps, signal))
  const report = presentGroups(presenter, { flatten: request.flatten, range: plan.range })
  const { company } = circumstances.view
  const table = () => reportTable(request.groupBy, metricColumns(request.metrics), cellRows(presenter))
  return { ...report, ...(await keepReport(deps.files, { request, company, report: 'production', table, signal })) }
}

/**
 * File and answer are made of the same rows, which the store keeps meanwhile. One after the other: side by side, both take longer
 * than that.
 */
async function makeWithFile(
  request: ProductionRequest,
  plan: Plan,
  circumstances: Circumstances,
  deps: ProductionDeps,
  signal: AbortSignal | undefined,
): Promise<ReportBody> {
  const { view } = circumstances
  const { company } = view
  const { groupBy, metrics } = request
  const asking = askingFor(deps, { company: plan.company, report: 'production' }, signal)
  const snapshot = await runToSnapshot(plan, view, { ...deps, ...asking })
  const dimensions = levelsOf(request, plan, circumstances)
  let columns: Columns = []
  try {
    const levels = tableLevels(dimensions, keyNames(plan), snapshot.keyValues)
    const stored = storedTable({ plan, snapshot, groupBy, levels, metrics }, asking)
    const write = async (to: FileTarget) => {
      await stored.write(to)
      columns = await snapshot.read() // before the file counts as made: without an answer there is none
    }
    const table = () => ({ ...stored, write })
    const csv = await keepReport(deps.files, { request, company, report: 'production', table, signal })
    const presenter = presenterOf(request, plan, dimensions, columns)
    return { ...presentGroups(presenter, { flatten: request.flatten, range: plan.range }), ...csv }
  } catch (error) {
    throw explainLimit(error)
  } finally {
    await snapshot.drop()
  }
}

function levelsOf({ groupBy, filters }: ProductionRequest, plan: Plan, { view }: Circumstances) {
  return createGroupingLevels(groupBy, { plan, view, filters })
}

function presenterOf(request: ProductionRequest, plan: Plan, dimensions: readonly GroupingLevel[], columns: Columns) {
  return present(request, plan, fold(plan, columns, dimensions), dimensions)
}
