import { KnownCoverage } from '../../clickhouse/documents/known-coverage.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Calendar } from '../../processors/calendar/types.ts'
import type { Records } from '../../processors/records/records.ts'
import type { MachineInputs } from '../../processors/timeline/types.ts'
import type { AlarmInstancesAnswer } from '../../schema/requests/alarm-instances.ts'
import type { JobRunParts } from '../../schema/requests/job-dispatch.ts'
import { notFound } from '../../schema/errors.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { Files } from '../files/files.ts'
import type { RunTime } from '../ports.ts'
import { keepReport } from '../files/keep-report.ts'
import { reportAlarmInstances } from './alarm-instances/alarm-instances.ts'
import { instancesTable } from './alarm-instances/table.ts'
import { parseAlarmInstances } from './alarm-instances/parse.ts'
import { fold } from './production/fold.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { createGate } from './gate.ts'
import { alarmReport } from './alarm/alarm.ts'
import { downtimeReport } from './downtime/downtime.ts'
import { qualityReport } from './quality/quality.ts'
import { makeEventReport, type EventReport } from './events/report.ts'
import type { EventPlan } from './events/plan.ts'
import type { ReportRequest } from './request.ts'
import { parseProduction } from './parse.ts'
import { partsOf, partsRequest } from './production/job-run-parts.ts'
import { planProduction } from './production/plan.ts'
import type { Circumstances } from './plan.ts'
import { createCompanyViews } from './company-view.ts'
import type { ReportBody } from './present.ts'
import { makeProduction } from './production/production.ts'
import type { QueryLimits } from './ask.ts'
import { run } from './production/run.ts'
import { WrittenHours } from './written-hours.ts'

export interface ReportsDeps {
  readonly store: Store
  readonly records: Records
  /** Shared calendars; null: without a schedule. */
  readonly calendarOf: (settings: CompanySettings, schedule: ScheduleRecord | null) => Calendar
  /** What a machine's documents are made from: for hours that nobody wrote in time. */
  readonly inputsOf: (machine: MachineRecord) => MachineInputs
  /** UTC ms. */
  readonly clock: () => number
  /** How far the processors are behind what was accepted. */
  readonly lagMs: () => number
  /** Keeps reports as files. */
  readonly files: Pick<Files, 'keep'>
  /** What one query may cost the store; see `run.ts` for the defaults. */
  readonly limits?: QueryLimits
  /** Reports of one company under way at once. */
  readonly concurrency?: number
}

export interface ReportAnswer {
  readonly body: ReportBody
  readonly headers: Readonly<Record<string, string>>
}

/** Makes a report for a company (its id). `body` is the parsed JSON. */
export type ReportMaker<Body> = (
  companyId: string,
  body: unknown,
  options?: { readonly signal?: AbortSignal },
) => Promise<{ readonly body: Body }>

export interface Reports {
  /**
   * `POST /reports/production` for a company (its id). `body` is the parsed JSON. Rejects with `ApiError`: 400 with every
   * fault, 404, 429, 503 where the processors are too far behind; with `StoreError` where the store fails.
   */
  production(companyId: string, body: unknown, options?: { readonly signal?: AbortSignal }): Promise<ReportAnswer>
  /** What was made in the time of a job run, up to now; rejects as `production`. */
  jobRunParts(run: RunTime, options?: { readonly signal?: AbortSignal }): Promise<JobRunParts>
  /** `POST /reports/downtime`; in everything else as `production`. */
  readonly downtime: ReportMaker<ReportBody<number | string | null>>
  /** `POST /reports/quality`; in everything else as `production`. */
  readonly quality: ReportMaker<ReportBody<number | string | null>>
  /** `POST /reports/alarm`; in everything else as `production`. */
  readonly alarm: ReportMaker<ReportBody<number | string | null>>
  /** `POST /reports/alarm/instances`; in everything else the same. */
  alarmInstances(
    companyId: string,
    body: unknown,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly body: AlarmInstancesAnswer }>
  /** Ends the listening to the records. */
  readonly stop: () => void
}

export function createReports(deps: ReportsDeps): Reports {
  const views = createCompanyViews(deps.records, deps.clock)
  const gate = createGate(deps.concurrency ?? 32)
  const runDeps = { ...deps, written: new WrittenHours(), coverage: new KnownCoverage() }
  const circumstancesOf = (companyId: string): Circumstances => {
    const view = views.of(companyId)
    if (!view) throw notFound()
    return { view, calendar: deps.calendarOf(view.company.settings, null), nowMs: deps.clock() }
  }
  const counting =
    <Request extends ReportRequest, Plan extends EventPlan>(
      report: EventReport<Request, Plan>,
    ): ReportMaker<ReportBody<number | string | null>> =>
    (companyId, asked, { signal } = {}) =>
      gate(companyId, async () => {
        const request = report.parse(asked)
        const circumstances = circumstancesOf(companyId)
        const { company } = circumstances.view
        const { body, table } = await makeEventReport(report, request, circumstances, runDeps, signal)
        const csv = await keepReport(deps.files, { request, company, report: report.name, table, signal })
        return { body: { ...body, ...csv } }
      })
  return {
    downtime: counting(downtimeReport),
    quality: counting(qualityReport),
    alarm: counting(alarmReport),
    jobRunParts: ({ companyId, machineId, startMs, endMs }, { signal } = {}) =>
      gate(companyId, async () => {
        const request = partsRequest(machineId, { startMs, endMs })
        const circumstances = circumstancesOf(companyId)
        const plan = planProduction(request, circumstances)
        const columns = await run(plan, circumstances.view, runDeps, signal)
        return partsOf(plan.sums, fold(plan, columns, []).sums)
      }),
    production: (companyId, body, { signal } = {}) =>
      gate(companyId, async () => {
        const request = parseProduction(body)
        const lagMs = Math.max(0, Math.round(deps.lagMs()))
        const made = await makeProduction(request, circumstancesOf(companyId), runDeps, signal)
        return { body: made, headers: { 'Takt-Lag-Ms': String(lagMs) } }
      }),
    alarmInstances: (companyId, body, { signal } = {}) =>
      gate(companyId, async () => {
        const request = parseAlarmInstances(body)
        const view = views.of(companyId)
        if (!view) throw notFound()
        const page = await reportAlarmInstances(request, view, deps, signal)
        if (!request.file) return { body: page }
        const { company } = view
        const table = () => instancesTable(page)
        const wish = { request: request.file, company, report: 'alarm/instances', table, signal } as const
        const csv = await keepReport(deps.files, wish)
        return { body: { ...page, ...csv, range: { ...page.range, end: isoText(deps.clock()) } } }
      }),
    stop: views.stop,
  }
}
