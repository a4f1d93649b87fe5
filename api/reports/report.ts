import type { ReportName } from '../../schema/groupings.ts'
import type { EventSum } from '../../schema/event-metrics.ts'
import type { FileColumn, StoredTable } from '../files/table.ts'
import type { Asking } from './ask/asking.ts'
import type { Columns } from './ask/columns.ts'
import type { CompanyView } from './company/company-view.ts'
import type { Query } from './compile/query.ts'
import type { ExportSnapshot } from './files/export-snapshot.ts'
import type { Folded } from './fold/fold.ts'
import type { Rows } from './fold/rows.ts'
import type { Finders } from './groupings/entities.ts'
import type { GroupingLevel } from './groupings/grouping-levels.ts'
import type { Circumstances, ReportPlan } from './plan/plan.ts'
import type { EventValue } from './present/event-values.ts'
import type { GroupValues, PresentedValue } from './present/presenter.ts'
import type { ReportRequest } from './request/request.ts'
import type { Awaited } from './run/run.ts'
import type { SourceRule, Sources } from './sources/sources.ts'

/** Types of the values that go from stage to stage of a report. */
export interface ReportTypes {
  readonly request: ReportRequest
  readonly plan: ReportPlan
  /** Names of what is added up per group. */
  readonly sum: string
  /** A value that is shown of a group. */
  readonly value: PresentedValue
}

/**
 * A report, as what its stages need to know of it. The stages are in `pipeline.ts`: request, plan, sources, compile, run, fold, present,
 * files. Each works on what the ones before give, and none changes it.
 */
export interface Report<T extends ReportTypes> {
  readonly name: ReportName
  /** Throws a ValidationError with every fault found. */
  readonly parse: (body: unknown) => T['request']
  /** Pure: plans the query. */
  readonly plan: (request: T['request'], circumstances: Circumstances) => T['plan']
  /** The documents that it can be read from. */
  readonly sources: SourceRule
  /** Pure: the same plan and sources are the same SQL. */
  readonly compile: (plan: T['plan'], sources: Sources) => Query
  /** Condition that the response waits for; none by default. */
  readonly awaited?: (plan: T['plan']) => Awaited
  /** How its rows lead to the groupings that only this report has. */
  readonly finders?: (answer: ReportAnswer<T>, asking: Asking) => Finders | Promise<Finders>
  /** Pure: the rows of the answer, to be folded. */
  readonly rows: (plan: T['plan'], columns: Columns) => Rows<T['sum']>
  /** Pure: what is shown of groups. */
  readonly values: (request: T['request'], folded: Folded<T['sum']>) => GroupValues<T['value']>
  /** Their columns in a file. */
  readonly columns: (request: T['request']) => readonly FileColumn[]
  /** Where the store writes files of it, without passing the rows on. */
  readonly storedFile?: StoredFile<T>
}

/** A report that counts events. */
export type EventReport<Request extends ReportRequest, Plan extends ReportPlan> = Report<{
  readonly request: Request
  readonly plan: Plan
  readonly sum: EventSum
  readonly value: EventValue
}>

/** A report that is being made. */
export interface Making<T extends Pick<ReportTypes, 'request' | 'plan'>> {
  readonly request: T['request']
  readonly plan: T['plan']
  readonly view: CompanyView
}

export interface ReportAnswer<T extends ReportTypes> extends Omit<Making<T>, 'request'> {
  readonly columns: Columns
}

export interface StoredFile<T extends ReportTypes> {
  /** Stores the result of a query, for the response and its file. */
  readonly keep: (plan: T['plan'], query: Query, asking: Asking) => Promise<ExportSnapshot>
  readonly table: (parts: StoredFileParts<T>, asking: Asking) => StoredTable
}

export interface StoredFileParts<T extends ReportTypes> extends Omit<Making<T>, 'view'> {
  readonly snapshot: ExportSnapshot
  readonly levels: readonly GroupingLevel[]
}
