import type { RecordValueName } from '../../../schema/record-values.ts'
import { reportTable } from '../../files/report-table.ts'
import type { Table } from '../../files/table.ts'
import { createGroupingLevels } from '../grouping-levels.ts'
import { type Finders, operationOfRun } from '../entities.ts'
import type { Circumstances } from '../plan.ts'
import type { CompanyView } from '../company-view.ts'
import { cellRows, presentGroups, type ReportBody } from '../present.ts'
import { childrenOf, foldEvents, memberOf, membersAt, type EventRow } from './groups.ts'
import type { EventPlan } from './plan.ts'
import { type EventReportName, valueAt, valueColumns } from './values.ts'
import type { ReportRequest } from '../request.ts'
import { askingFor, type Asking, type RunDeps } from '../ask.ts'
import { explainLimit } from '../too-large.ts'

/** A report that counts records, as its stages. */
export interface EventReport<Request extends ReportRequest = ReportRequest, Plan extends EventPlan = EventPlan> {
  readonly name: EventReportName
  /** Throws a ValidationError with every fault found. */
  readonly parse: (body: unknown) => Request
  /** In the order of the answer. */
  readonly values: (request: Request) => readonly RecordValueName[]
  readonly plan: (request: Request, circumstances: Circumstances) => Plan
  readonly read: (plan: Plan, view: CompanyView, deps: RunDeps & Asking) => Promise<FoundEvents>
}

/** What was found, and how it leads to the groupings that only this report has. */
export interface FoundEvents {
  /** To be gone through once. */
  readonly rows: Iterable<EventRow>
  readonly finders: Finders
}

/** A report's answer, and the same as a table. */
export interface MadeReport {
  readonly body: ReportBody<number | string | null>
  readonly table: () => Table
}

/** Makes a report. Rejects with an `ApiError` where it asks for too much or the processors are too far behind, or with a `StoreError`. */
export async function makeEventReport<Request extends ReportRequest, Plan extends EventPlan>(
  report: EventReport<Request, Plan>,
  request: Request,
  circumstances: Circumstances,
  deps: RunDeps,
  signal?: AbortSignal,
): Promise<MadeReport> {
  const { view } = circumstances
  const plan = report.plan(request, circumstances)
  const asking = askingFor(deps, { company: plan.company, report: report.name }, signal)
  const found = await explained(report.read(plan, view, { ...deps, ...asking }))
  return presentEvents(report, request, { plan, view }, found)
}

/** Pure: the report of what was found. */
export function presentEvents<Request extends ReportRequest, Plan extends EventPlan>(
  report: Pick<EventReport<Request, Plan>, 'name' | 'values'>,
  request: Request,
  { plan, view }: { readonly plan: Plan; readonly view: CompanyView },
  { rows, finders }: FoundEvents,
): MadeReport {
  const { groupBy, filters, flatten } = request
  const ownFinders = { jobOperation: operationOfRun, ...finders }
  const dimensions = createGroupingLevels(groupBy, { plan, view, filters, ownFinders })
  const root = foldEvents(rows, dimensions)
  const names = report.values(request)
  const presenter = {
    root,
    groups: dimensions.map(({ group }) => group),
    childrenOf,
    memberOf,
    membersAt: (level: number) => membersAt(root, level),
    names,
    valueAt: valueAt(names),
  }
  return {
    body: presentGroups(presenter, { flatten, range: plan.range }),
    table: () => reportTable(groupBy, valueColumns(report.name, names), cellRows(presenter)),
  }
}

async function explained<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw explainLimit(error)
  }
}
