import type { ReportName } from '../../schema/groupings.ts'
import type { EventSum } from '../../schema/event-metrics.ts'
import type { FileColumn, StoredTable } from '../files/table.ts'
import type { CompanyView } from './company/company-view.ts'
import type { FilterView } from './company/job-runs.ts'
import type { ExportSnapshot } from './files/export-snapshot.ts'
import type { Folded, Rows } from './fold/fold.ts'
import type { EntityResolvers } from './groupings/entity-resolvers.ts'
import type { GroupingLevel } from './groupings/grouping-levels.ts'
import type { ReportPlan } from './plan/plan.ts'
import type { EventValue } from './present/event-values.ts'
import type { GroupValues, PresentedValue } from './present/present.ts'
import type { Columns, Query, CompletionCheck, QueryContext } from './query/query.ts'
import type { ReportRequest } from './request/parse.ts'
import type { SourceDeps, SourceRule, Sources } from './sources/sources.ts'

/** Types of the values that go from stage to stage of a report. */
export interface ReportTypes {
  readonly request: ReportRequest
  readonly plan: ReportPlan
  /** Names of the sums of a group. */
  readonly sum: string
  /** A value of a group. */
  readonly value: PresentedValue
}

/** The stages that all reports have, which `pipeline.ts` runs. None changes an earlier result. */
export interface ReportStages<T extends ReportTypes> {
  readonly name: ReportName
  /** Throws an `ApiError` 400 with every field error. */
  readonly parse: (body: unknown) => T['request']
  /** Pure: plans the query. */
  readonly plan: (request: T['request'], view: FilterView) => T['plan']
  readonly values: (request: T['request'], folded: Folded<T['sum']>) => GroupValues<T['value']>
  readonly columns: (request: T['request']) => readonly FileColumn[]
}

/** A report on records, which has a row for each record. */
export interface RecordReport<T extends ReportTypes> extends ReportStages<T> {
  /** Reads the rows, and finds the entities of the groupings that only this report has. */
  readonly read: (
    context: ReportContext<T>,
    queries: QueryContext & SourceDeps,
  ) => Promise<{ readonly rows: Rows<T['sum']>; readonly entityResolvers: EntityResolvers }>
}

/** A report on documents, which one query reads. */
export interface Report<T extends ReportTypes> extends ReportStages<T> {
  /** The documents that can serve it. */
  readonly sources: SourceRule
  /** Pure: the same plan and sources are the same SQL. */
  readonly compile: (plan: T['plan'], sources: Sources) => Query
  /** A condition that the result must meet before it is used; none by default. */
  readonly completion?: (plan: T['plan']) => CompletionCheck
  /** Resolvers of the groupings that only this report has. */
  readonly entityResolvers?: (
    context: ReportContext<T>,
    columns: Columns,
    queries: QueryContext,
  ) => EntityResolvers | Promise<EntityResolvers>
  /** Pure: the rows of the result, to be folded. */
  readonly rows: (plan: T['plan'], columns: Columns) => Rows<T['sum']>
  /** How the store writes its files; by default the rows of the response are written. */
  readonly storedFile?: StoredFile<T>
}

/** A report that counts events. */
export type EventReport<Request extends ReportRequest, Plan extends ReportPlan> = Report<EventTypes<Request, Plan>>

/** Types of a report that counts events. */
export interface EventTypes<Request extends ReportRequest, Plan extends ReportPlan> {
  readonly request: Request
  readonly plan: Plan
  readonly sum: EventSum
  readonly value: EventValue
}

/** A report in progress. */
export interface ReportContext<T extends Pick<ReportTypes, 'request' | 'plan'>> {
  readonly request: T['request']
  readonly plan: T['plan']
  readonly view: CompanyView
}

interface StoredFile<T extends ReportTypes> {
  /** Stores the result of a query, for the response and its file. */
  readonly createSnapshot: (plan: T['plan'], query: Query, queries: QueryContext) => Promise<ExportSnapshot>
  readonly table: (
    context: Pick<ReportContext<T>, 'request' | 'plan'>,
    snapshot: ExportSnapshot,
    levels: readonly GroupingLevel[],
    queries: QueryContext,
  ) => StoredTable
}
