import { atOnce, inSlices, type Steps } from '../../shared/async/steps.ts'
import type { ReportName } from '../../schema/groupings.ts'
import type { Files } from '../files/files.ts'
import { type ExportRequest, exportReport } from '../files/export-report.ts'
import { reportTable } from '../files/report-table.ts'
import type { FileTarget } from '../files/table.ts'
import { type Asking, askingFor, type QueryLimits } from './ask/asking.ts'
import type { Columns } from './ask/columns.ts'
import type { Query } from './compile/query.ts'
import { folding } from './fold/fold.ts'
import type { Finders } from './groupings/entities.ts'
import { createGroupingLevels, type GroupingLevel } from './groupings/grouping-levels.ts'
import type { Circumstances } from './plan/plan.ts'
import { cellRows, presentGroups, type ReportBody } from './present/present.ts'
import { createPresenter, type PresentedValue, type Presenter } from './present/presenter.ts'
import type { Making, Report, ReportTypes, StoredFile } from './report.ts'
import { run } from './run/run.ts'
import { explained } from './run/too-large.ts'
import { decideSources, type SourceDeps } from './sources/sources.ts'

export interface PipelineDeps extends SourceDeps {
  readonly limits?: QueryLimits
}

export interface ReportDeps extends PipelineDeps {
  /** Keeps reports as files. */
  readonly files: Pick<Files, 'keep'>
}

/**
 * Makes a report, and its file where one is wanted. Rejects with an `ApiError` where it asks for too much or the processors are too far
 * behind, or with a `StoreError`.
 */
export async function makeReport<T extends ReportTypes>(
  report: Report<T>,
  request: T['request'],
  circumstances: Circumstances,
  deps: ReportDeps,
  signal?: AbortSignal,
): Promise<ReportBody<T['value']>> {
  const plan = report.plan(request, circumstances)
  const making = { request, plan, view: circumstances.view }
  const asking = askingFor(deps, { companyRef: plan.companyRef, report: report.name }, signal)
  const isStored = request.csv && request.groupBy.length > 0 && !plan.findsNothing
  const make = isStored && report.storedFile ? withStoredFile(report, report.storedFile) : withTable(report)
  return explained(make(making, { ...deps, ...asking }))
}

/** From a plan to the columns of the store's answer: sources, compile, run. */
export async function readColumns<T extends ReportTypes>(
  report: Report<T>,
  { plan, view }: Omit<Making<T>, 'request'>,
  deps: PipelineDeps & Asking,
): Promise<Columns> {
  if (plan.findsNothing) return []
  return run(await queryOf(report, { plan, view }, deps), deps, report.awaited?.(plan))
}

/** Pure: the groups that an answer leads to, and what they say. */
export function presentAnswer<T extends ReportTypes>(
  report: Report<T>,
  { request, plan }: Omit<Making<T>, 'view'>,
  columns: Columns,
  levels: readonly GroupingLevel[],
): Presenter<T['value']> {
  return atOnce(presentingAnswer(report, { request, plan }, columns, levels))
}

/** As `presentAnswer`, in steps. */
function* presentingAnswer<T extends ReportTypes>(
  report: Report<T>,
  { request, plan }: Omit<Making<T>, 'view'>,
  columns: Columns,
  levels: readonly GroupingLevel[],
): Steps<Presenter<T['value']>> {
  const rows = report.rows(plan, columns)
  yield
  const folded = yield* folding(rows, levels)
  return createPresenter(folded, levels, report.values(request, folded))
}

/** The levels of grouping of a report. */
export function levelsOf({ request, plan, view }: Making<ReportTypes>, ownFinders: Finders = {}) {
  return createGroupingLevels(request.groupBy, { buckets: plan.buckets, view, filters: request.filters, ownFinders })
}

type Make<T extends ReportTypes> = (making: Making<T>, deps: ReportDeps & Asking) => Promise<ReportBody<T['value']>>

/** A report whose file, if it is wanted, is written row by row of what is answered. */
function withTable<T extends ReportTypes>(report: Report<T>): Make<T> {
  return async (making, deps) => {
    const { request, plan, view } = making
    const columns = await readColumns(report, making, deps)
    const finders = await report.finders?.({ plan, view, columns }, deps)
    const presenter = await inSlices(presentingAnswer(report, making, columns, levelsOf(making, finders)))
    const table = () => reportTable(request.groupBy, report.columns(request), cellRows(presenter))
    return { ...bodyOf(making, presenter), ...(await keptFile(report.name, making, table, deps)) }
  }
}

/**
 * File and answer are made of the same rows, which the store keeps meanwhile. One after the other: side by side, both take longer
 * than that.
 */
function withStoredFile<T extends ReportTypes>(report: Report<T>, { keep, table }: StoredFile<T>): Make<T> {
  return async (making, deps) => {
    const { request, plan } = making
    const snapshot = await keep(plan, await queryOf(report, making, deps), deps)
    try {
      const levels = levelsOf(making)
      const stored = table({ request, plan, snapshot, levels }, deps)
      let columns: Columns = []
      const write = async (to: FileTarget) => {
        await stored.write(to)
        columns = await snapshot.read() // before the file counts as made: without an answer there is none
      }
      const file = await keptFile(report.name, making, () => ({ ...stored, write }), deps)
      const presenter = await inSlices(presentingAnswer(report, making, columns, levels))
      return { ...bodyOf(making, presenter), ...file }
    } finally {
      await snapshot.drop()
    }
  }
}

async function queryOf<T extends ReportTypes>(
  report: Report<T>,
  { plan, view }: Omit<Making<T>, 'request'>,
  deps: PipelineDeps & Asking,
): Promise<Query> {
  return report.compile(plan, await decideSources(plan, report.sources, view, deps))
}

function bodyOf<Value extends PresentedValue>({ request, plan }: Making<ReportTypes>, presenter: Presenter<Value>) {
  return presentGroups(presenter, { flatten: request.flatten, range: plan.range })
}

function keptFile(
  report: ReportName,
  { request, view }: Making<ReportTypes>,
  table: ExportRequest['table'],
  { files, options: { signal } }: ReportDeps & Asking,
) {
  return exportReport(files, { request, company: view.company, report, table, signal })
}
