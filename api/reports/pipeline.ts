import { runSync, runCooperatively, type Steps } from '../../shared/async/steps.ts'
import type { ReportName } from '../../schema/groupings.ts'
import type { Files } from '../files/files.ts'
import { type ExportRequest, exportReport } from '../files/export-report.ts'
import { reportTable } from '../files/report-table.ts'
import type { FileTarget } from '../files/table.ts'
import type { CompanyView } from './company/company-view.ts'
import { type Folded, folding } from './fold/fold.ts'
import type { EntityResolvers } from './groupings/entity-resolvers.ts'
import { createGroupingLevels, type GroupingLevel } from './groupings/grouping-levels.ts'
import { cellRows, presentGroups, type ReportBody } from './present/present.ts'
import { createPresenter, type PresentedValue, type Presenter } from './present/presenter.ts'
import type { Columns, Query } from './query/columns.ts'
import { mapQueryLimitErrors } from './query/map-query-limit-errors.ts'
import { createQueryContext, type QueryContext, type QueryDeps, runQuery } from './query/query-context.ts'
import type { Report, ReportContext, ReportTypes, StoredFile } from './report.ts'
import { selectSources, type SourceDeps } from './sources/sources.ts'

export type PipelineDeps = QueryDeps & SourceDeps

export interface ReportDeps extends PipelineDeps {
  /** Stores reports as files. */
  readonly files: Pick<Files, 'keep'>
}

/**
 * Creates the response of a report from the body of its request, and its file if the request names one. Rejects with an `ApiError`: 400
 * with every field error or for a result beyond the limits, 503 if the processors lag too far; or with a `StoreError`.
 */
export async function buildReport<T extends ReportTypes>(
  report: Report<T>,
  body: unknown,
  view: CompanyView,
  deps: ReportDeps,
  signal?: AbortSignal,
): Promise<ReportBody<T['value']>> {
  const request = report.parse(body)
  const plan = report.plan(request, view)
  const queries = createQueryContext(deps, { companyRef: plan.companyRef, report: report.name }, signal)
  const isStored = request.csv && request.groupBy.length > 0 && !plan.matchesNothing
  const build = isStored && report.storedFile ? withStoredFile(report, report.storedFile) : withTable(report)
  return mapQueryLimitErrors(build({ request, plan, view }, queries))
}

/** The sums of a whole request, whatever it groups by, with its plan. Rejects as `buildReport`. */
export async function readTotals<T extends ReportTypes>(
  report: Report<T>,
  request: T['request'],
  view: CompanyView,
  deps: PipelineDeps,
  signal?: AbortSignal,
): Promise<{ readonly plan: T['plan']; readonly folded: Folded<T['sum']> }> {
  const plan = report.plan(request, view)
  const queries = createQueryContext(deps, { companyRef: plan.companyRef, report: report.name }, signal)
  const columns = await mapQueryLimitErrors(readColumns(report, { request, plan, view }, queries))
  return { plan, folded: await runCooperatively(folding(report.rows(plan, columns), [])) }
}

/** From a plan to the columns of the result: sources, compile, query. */
async function readColumns<T extends ReportTypes>(
  report: Report<T>,
  context: ReportContext<T>,
  queries: PipelineDeps & QueryContext,
): Promise<Columns> {
  if (context.plan.matchesNothing) return []
  return runQuery(await compileQuery(report, context, queries), queries, report.completion?.(context.plan))
}

async function compileQuery<T extends ReportTypes>(
  report: Report<T>,
  { plan, view }: ReportContext<T>,
  queries: PipelineDeps & QueryContext,
): Promise<Query> {
  return report.compile(plan, await selectSources(plan, report.sources, view, queries))
}

/** Pure: the groups of a result and their values. */
export function presentResult<T extends ReportTypes>(
  report: Report<T>,
  context: Omit<ReportContext<T>, 'view'>,
  columns: Columns,
  levels: readonly GroupingLevel[],
): Presenter<T['value']> {
  return runSync(presentingResult(report, context, columns, levels))
}

/** As `presentResult`, in steps. */
function* presentingResult<T extends ReportTypes>(
  report: Report<T>,
  { request, plan }: Omit<ReportContext<T>, 'view'>,
  columns: Columns,
  levels: readonly GroupingLevel[],
): Steps<Presenter<T['value']>> {
  const rows = report.rows(plan, columns)
  yield
  const folded = yield* folding(rows, levels)
  return createPresenter(folded, levels, report.values(request, folded))
}

/** The levels of grouping of a report. */
export function levelsOf({ request, plan, view }: ReportContext<ReportTypes>, ownResolvers: EntityResolvers = {}) {
  return createGroupingLevels(request.groupBy, { buckets: plan.buckets, view, filters: request.filters, ownResolvers })
}

type Build<T extends ReportTypes> = (
  context: ReportContext<T>,
  queries: ReportDeps & QueryContext,
) => Promise<ReportBody<T['value']>>

/** Builds a report whose file, if any, is written from the rows of the response. */
function withTable<T extends ReportTypes>(report: Report<T>): Build<T> {
  return async (context, queries) => {
    const { request } = context
    const columns = await readColumns(report, context, queries)
    const levels = levelsOf(context, await report.entityResolvers?.(context, columns, queries))
    const presenter = await runCooperatively(presentingResult(report, context, columns, levels))
    const table = () => reportTable(request.groupBy, report.columns(request), cellRows(presenter))
    return { ...bodyOf(context, presenter), ...(await storeFile(report.name, context, table, queries)) }
  }
}

/**
 * Builds a report whose file the store writes. File and response are made of the same rows, which the store keeps meanwhile. One after the
 * other: in parallel, both take longer than that.
 */
function withStoredFile<T extends ReportTypes>(report: Report<T>, { createSnapshot, table }: StoredFile<T>): Build<T> {
  return async (context, queries) => {
    const { request, plan } = context
    const snapshot = await createSnapshot(plan, await compileQuery(report, context, queries), queries)
    try {
      const levels = levelsOf(context)
      const stored = table({ request, plan, snapshot, levels }, queries)
      let columns: Columns = []
      const write = async (to: FileTarget) => {
        await stored.write(to)
        columns = await snapshot.read() // before the file counts as stored: without a response there is none
      }
      const file = await storeFile(report.name, context, () => ({ ...stored, write }), queries)
      const presenter = await runCooperatively(presentingResult(report, context, columns, levels))
      return { ...bodyOf(context, presenter), ...file }
    } finally {
      await snapshot.drop()
    }
  }
}

function bodyOf<Value extends PresentedValue>(
  { request, plan }: ReportContext<ReportTypes>,
  presenter: Presenter<Value>,
) {
  return presentGroups(presenter, { flatten: request.flatten, range: plan.range })
}

function storeFile(
  report: ReportName,
  { request, view }: ReportContext<ReportTypes>,
  table: ExportRequest['table'],
  { files, options: { signal } }: ReportDeps & QueryContext,
) {
  return exportReport(files, { request, company: view.company, report, table, signal })
}
