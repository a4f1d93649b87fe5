import { CoverageCache } from '../../clickhouse/documents/coverage-cache.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Calendar } from '../../processors/calendar/types.ts'
import type { Records } from '../../processors/records/records.ts'
import type { MachineInputs } from '../../processors/timeline/types.ts'
import type { AlarmInstancesAnswer } from '../../schema/requests/alarm-instances.ts'
import type { JobRunParts } from '../../schema/requests/job-dispatch.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import { notFound } from '../../schema/errors.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { Files } from '../files/files.ts'
import { exportReport } from '../files/export-report.ts'
import { reportAlarmInstances } from './alarm-instances/alarm-instances.ts'
import { instancesTable } from './alarm-instances/table.ts'
import { parseAlarmInstances } from './alarm-instances/parse.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { createGate } from './ask/gate.ts'
import { alarmReport } from './alarm.ts'
import type { QueryLimits } from './ask/asking.ts'
import { createCompanyViews } from './company/company-view.ts'
import { downtimeReport } from './downtime.ts'
import { explainProduction } from './explain.ts'
import { countParts, partsRequest, type RunTime } from './job-run-parts.ts'
import { makeReport } from './pipeline.ts'
import { createPlantReader, type PlantReader } from './plant-reader.ts'
import type { Circumstances } from './plan/plan.ts'
import type { EventValue } from './present/event-values.ts'
import type { ReportBody } from './present/present.ts'
import { parseProduction } from './request/parse.ts'
import { productionReport } from './production.ts'
import { qualityReport } from './quality.ts'
import type { Report, ReportTypes } from './report.ts'
import { WrittenHours } from './sources/written-hours.ts'

export interface ReportsDeps {
  readonly store: Store
  readonly records: Records
  /** Shared calendars; null: without a schedule. */
  readonly calendarOf: (settings: CompanySettings, schedule: ScheduleRecord | null) => Calendar
  /** Inputs of a machine's documents, for provisional documents of hours that are not stored in time. */
  readonly inputsOf: (machine: MachineRecord) => MachineInputs
  /** UTC ms. */
  readonly clock: () => number
  /** How far the processors are behind what was accepted. */
  readonly lagMs: () => number
  /** Keeps reports as files. */
  readonly files: Pick<Files, 'keep'>
  /** Bounds of what one query may cost the store; see `asking.ts` for the defaults. */
  readonly limits?: QueryLimits
  /** Reports of one company under way at once. */
  readonly concurrency?: number
}

export interface ReportReply {
  readonly body: ReportBody
  readonly headers: Readonly<Record<string, string>>
}

/** Makes a report for a company (its id). `body` is the parsed JSON. */
export type ReportMaker<Body> = (
  companyId: string,
  body: unknown,
  options?: { readonly signal?: AbortSignal },
) => Promise<{ readonly body: Body }>

export interface Reports extends PlantReader {
  /**
   * `POST /reports/production` for a company (its id). `body` is the parsed JSON. Rejects with `ApiError`: 400 with all
   * field errors, 404, 429, 503 if the processors lag too far; with `StoreError` if the store fails.
   */
  production(companyId: string, body: unknown, options?: { readonly signal?: AbortSignal }): Promise<ReportReply>
  /** `POST /reports/production/explanation`: formulas of metrics and what was put into them; in everything else as `production`. */
  readonly explanation: ReportMaker<ProductionExplanation>
  /** Counts the parts made in the time of a job run, up to now; rejects as `production`. */
  jobRunParts(run: RunTime, options?: { readonly signal?: AbortSignal }): Promise<JobRunParts>
  /** `POST /reports/downtime`; in everything else as `production`. */
  readonly downtime: ReportMaker<ReportBody<EventValue>>
  /** `POST /reports/quality`; in everything else as `production`. */
  readonly quality: ReportMaker<ReportBody<EventValue>>
  /** `POST /reports/alarm`; in everything else as `production`. */
  readonly alarm: ReportMaker<ReportBody<EventValue>>
  /** `POST /reports/alarm/instances`; in everything else as `production`. */
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
  const reportDeps = { ...deps, written: new WrittenHours(), coverage: new CoverageCache() }
  const viewOf = (companyId: string) => {
    const view = views.of(companyId)
    if (!view) throw notFound()
    return view
  }
  const circumstancesOf = (companyId: string): Circumstances => {
    const view = viewOf(companyId)
    return { view, calendar: deps.calendarOf(view.company.settings, null), nowMs: deps.clock() }
  }
  const maker =
    <T extends ReportTypes>(report: Report<T>): ReportMaker<ReportBody<T['value']>> =>
    (companyId, asked, { signal } = {}) =>
      gate(companyId, async () => {
        const request = report.parse(asked)
        return { body: await makeReport(report, request, circumstancesOf(companyId), reportDeps, signal) }
      })
  const production = maker(productionReport)
  return {
    ...createPlantReader({ ...reportDeps, viewOf, gate }),
    production: async (...args) => {
      const lagMs = Math.max(0, Math.round(deps.lagMs()))
      return { ...(await production(...args)), headers: { 'Takt-Lag-Ms': String(lagMs) } }
    },
    explanation: (companyId, asked, { signal } = {}) =>
      gate(companyId, async () => ({
        body: await explainProduction(parseProduction(asked), circumstancesOf(companyId), reportDeps, signal),
      })),
    downtime: maker(downtimeReport),
    quality: maker(qualityReport),
    alarm: maker(alarmReport),
    jobRunParts: ({ companyId, machineId, startMs, endMs }, { signal } = {}) =>
      gate(companyId, () => {
        const request = partsRequest(machineId, { startMs, endMs })
        return countParts(request, circumstancesOf(companyId), reportDeps, signal)
      }),
    alarmInstances: (companyId, body, { signal } = {}) =>
      gate(companyId, async () => {
        const request = parseAlarmInstances(body)
        const view = viewOf(companyId)
        const page = await reportAlarmInstances(request, view, deps, signal)
        if (!request.file) return { body: page }
        const { company } = view
        const table = () => instancesTable(page)
        const wish = { request: request.file, company, report: 'alarm/instances', table, signal } as const
        const csv = await exportReport(deps.files, wish)
        return { body: { ...page, ...csv, range: { ...page.range, end: isoText(deps.clock()) } } }
      }),
    stop: views.stop,
  }
}
