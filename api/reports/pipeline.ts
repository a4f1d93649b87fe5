import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import type { Files } from '../files/files.ts'
import { type FileTable, type FileTarget, reportTable, type StoredTable } from '../files/table.ts'
import type { CompanyView } from './company/company-view.ts'
import { type NamedView, withNames, withRunsOfOperations } from './company/job-runs.ts'
import { type Folded, foldSteps, type Rows } from './fold/fold.ts'
import { createGroupingLevels, type GroupingLevel } from './groupings/grouping-levels.ts'
import { cellRows, presentGroups, type Presenter, type ReportBody } from './present/present.ts'
import { keyNames, type ReportPlan } from './plan/plan.ts'
import { type Columns, type KeyValue, type Query, type QueryContext, type QueryDeps, runQuery } from './query/query.ts'
import type { RecordReport, Report, ReportContext, ReportStages, ReportTypes } from './report.ts'
import { selectSources, type SourceDeps } from './sources/sources.ts'

export interface ReportDeps extends QueryDeps, SourceDeps {
  /** Stores reports as files. */
  readonly files: Pick<Files, 'create'>
}

/** The guarded store of one report, and what its sources and files need. */
export type ReportQueries = ReportDeps & QueryContext

/**
 * Creates the response of a report from the body of its request, and its file if the request names one. Rejects with an `ApiError`: 400
 * with every field error, 503 if the processors lag too far; or with a `StoreError`.
 */
export async function buildReport<T extends ReportTypes>(
  report: Report<T>,
  body: unknown,
  view: CompanyView,
  queries: ReportQueries,
): Promise<ReportBody<T['value']>> {
  const context = await planBody(report, body, view, queries)
  const { request, plan } = context
  const isStored = report.storedFile && request.file && request.groupBy.length > 0 && !plan.matchesNothing
  return isStored ? buildWithStoredFile(report, context, queries) : buildWithTable(report, context, queries)
}

/** Creates the response of a report on records. Otherwise like `buildReport`. */
export async function buildRecordReport<T extends ReportTypes>(
  report: RecordReport<T>,
  body: unknown,
  view: CompanyView,
  queries: ReportQueries,
): Promise<ReportBody<T['value']>> {
  const context = await planBody(report, body, view, queries)
  const { rows, entityResolvers } = await report.read(context, queries)
  const named = { ...view, runs: new Map(), operations: new Map() }
  const levels = createGroupingLevels({ ...context, view: named }, entityResolvers)
  const presenter = await runCooperatively(presentRows(report, context.request, rows, levels))
  return withTable(report, context, presenter, queries)
}

/** The sums of a whole request, without its groups. Rejects as `buildReport`. */
export async function readTotals<T extends ReportTypes>(
  report: Report<T>,
  request: T['request'],
  view: CompanyView,
  queries: ReportQueries,
): Promise<Folded<T['sum']>> {
  const plan = await planReport(report, request, view, queries)
  const columns = await readColumns(report, { request, plan, view }, queries)
  return runCooperatively(foldSteps(report.rows(plan, columns), []))
}

/** Reads and plans the body of a request. */
async function planBody<T extends ReportTypes>(
  report: Report<T> | RecordReport<T>,
  body: unknown,
  view: CompanyView,
  queries: QueryContext,
) {
  const request: T['request'] = report.parse(body)
  const plan = await planReport(report, request, view, queries)
  return { request, plan, view }
}

/** Plans the query of a request, with the job runs of the operations in its filters. */
export async function planReport<T extends ReportTypes>(
  report: Report<T> | RecordReport<T>,
  request: T['request'],
  view: CompanyView,
  queries: QueryContext,
): Promise<T['plan']> {
  return report.plan(request, await withRunsOfOperations(view, request.filters.jobOperation ?? [], queries))
}

/**
 * The view with the job runs and operations in the rows of a result. `values`: those of each key, in the order of
 * `keyNames`.
 */
function nameRows(
  view: CompanyView,
  plan: ReportPlan,
  values: readonly Iterable<KeyValue>[],
  queries: QueryContext,
): Promise<NamedView> {
  const names = keyNames(plan)
  const valuesOf = (key: 'run' | 'operation') => (plan.keys[key] ? (values[names.indexOf(key)] ?? []) : [])
  return withNames(view, { runs: valuesOf('run'), operations: valuesOf('operation') }, queries)
}

async function readColumns<T extends ReportTypes>(
  report: Report<T>,
  context: ReportContext<T>,
  queries: ReportQueries,
): Promise<Columns> {
  if (context.plan.matchesNothing) return []
  return runQuery(await compileQuery(report, context, queries), queries, report.completion?.(context.plan))
}

async function compileQuery<T extends ReportTypes>(
  report: Report<T>,
  { plan, view }: ReportContext<T>,
  queries: ReportQueries,
): Promise<Query> {
  return report.compile(plan, await selectSources(plan, report.sources, view, queries))
}

/** The groups of a result and their values. */
export function* presentSteps<T extends ReportTypes>(
  report: Report<T>,
  { request, plan }: Omit<ReportContext<T>, 'view'>,
  columns: Columns,
  levels: readonly GroupingLevel[],
): Steps<Presenter<T['value']>> {
  const rows = report.rows(plan, columns)
  yield
  return yield* presentRows(report, request, rows, levels)
}

function* presentRows<T extends ReportTypes>(
  report: ReportStages<T>,
  request: T['request'],
  rows: Rows<T['sum']>,
  levels: readonly GroupingLevel[],
): Steps<Presenter<T['value']>> {
  const folded = yield* foldSteps(rows, levels)
  return { groups: request.groupBy, tree: folded.tree, ...report.values(request, folded) }
}

/** Builds a report whose file, if any, is written from the rows of the response. */
async function buildWithTable<T extends ReportTypes>(
  report: Report<T>,
  context: ReportContext<T>,
  queries: ReportQueries,
): Promise<ReportBody<T['value']>> {
  const columns = await readColumns(report, context, queries)
  const view = await nameRows(context.view, context.plan, columns, queries)
  const levels = createGroupingLevels({ ...context, view }, await report.entityResolvers?.(context, columns, queries))
  return withTable(report, context, await runCooperatively(presentSteps(report, context, columns, levels)), queries)
}

/** The response, with the path of a file with the same rows if the request names one. */
async function withTable<T extends ReportTypes>(
  report: ReportStages<T>,
  context: ReportContext<T>,
  presenter: Presenter<T['value']>,
  queries: ReportQueries,
): Promise<ReportBody<T['value']>> {
  const { request, plan } = context
  const body = presentGroups(presenter, request.flatten, plan.range)
  if (!request.file) return body
  const table = reportTable(request.groupBy, report.columns(request), cellRows(presenter))
  return { ...body, ...(await storeFile(report, context, table, queries)) }
}

/**
 * Builds a report whose file the store writes. File and response have the same rows, which are in the store meanwhile. One after the
 * other: in parallel, both take longer than that.
 */
async function buildWithStoredFile<T extends ReportTypes>(
  report: Report<T>,
  context: ReportContext<T>,
  queries: ReportQueries,
): Promise<ReportBody<T['value']>> {
  const { request, plan } = context
  if (!report.storedFile) throw new Error(`invariant: the store writes no files of ${report.name}`)
  const snapshot = await report.storedFile.createSnapshot(plan, await compileQuery(report, context, queries), queries)
  try {
    const view = await nameRows(context.view, plan, snapshot.keyValues, queries)
    const levels = createGroupingLevels({ ...context, view })
    const stored = report.storedFile.table(context, snapshot, levels, queries)
    let columns: Columns = []
    const write = async (to: FileTarget) => {
      await stored.write(to)
      columns = await snapshot.read() // before the file counts as stored: without a response there is none
    }
    const file = await storeFile(report, context, { ...stored, write }, queries)
    const presenter = await runCooperatively(presentSteps(report, context, columns, levels))
    return { ...presentGroups(presenter, request.flatten, plan.range), ...file }
  } finally {
    await snapshot.drop()
  }
}

async function storeFile<T extends ReportTypes>(
  { name: report }: ReportStages<T>,
  { request, view: { company } }: ReportContext<T>,
  table: FileTable | StoredTable,
  { files, options: { signal } }: ReportQueries,
) {
  const { file: format, range } = request
  return { csv: await files.create({ company, report, format: format ?? 'csv', range, table, signal }) }
}
