import { CoverageCache } from '../../clickhouse/documents/coverage-cache.ts'
import { notFound } from '../../schema/errors.ts'
import type { AlarmInstancesResponse } from '../../schema/requests/alarm-instances.ts'
import type { CycleTimesResponse } from '../../schema/requests/cycle-times.ts'
import type { JobRunParts } from '../../schema/requests/job-dispatch.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import type { RuleTrial } from '../../schema/requests/rule-trial.ts'
import { reportAlarmInstances } from './alarm-instances/alarm-instances.ts'
import { alarmReport } from './alarm.ts'
import { type CompanyView, type CompanyViewDeps, createCompanyViews } from './company/company-view.ts'
import { reportCycleTimes } from './cycle-times/cycle-times.ts'
import { downtimeReport } from './downtime.ts'
import { incidentReport } from './incident.ts'
import { explainProduction, countParts, type RunTime } from './production-totals.ts'
import { buildRecordReport, buildReport, type ReportDeps, type ReportQueries } from './pipeline.ts'
import { createPlantReader, type PlantReader, type Read } from './plant-reader.ts'
import { createQueryContext, mapQueryLimitErrors, rangeTooLarge } from './query/query.ts'
import type { EventValue } from './present/event-values.ts'
import type { ReportBody } from './present/present.ts'
import { productionReport } from './production.ts'
import { qualityReport } from './quality.ts'
import { createReportLimiter, withReportTimeout } from './report-limiter.ts'
import type { Report, ReportTypes } from './report.ts'
import { readRuleTrial, type RuleTrialRequest } from './rule-trial.ts'
import type { FreshnessPort } from '../ports/ports.ts'
import { WrittenHours } from './sources/provisional-documents.ts'

export interface ReportsDeps extends CompanyViewDeps, Omit<ReportDeps, 'written' | 'coverage'> {
  /** Maximum number of concurrent reports of one company; 32 by default. */
  readonly concurrency?: number
  readonly measure?: <T>(kind: string, report: () => Promise<T>) => Promise<T>
  /** Resolves when the samples up to `toMs` that were accepted before are in the store, or a moment has passed. */
  readonly recentSamples?: (toMs: number) => Promise<void>
  /** Milliseconds since some fixed instant. Default: `performance.now`. */
  readonly monotonicMs?: () => number
  /** Called after each read, except reads in the background. */
  readonly requestFlush?: FreshnessPort['requestFlush']
  /** Runs each read, except reads in the background. */
  readonly aroundRead?: <T>(read: () => Promise<T>) => Promise<T>
}

/**
 * Creates a report for a company (its id). `body` is the parsed JSON; `signal` cancels the report. Rejects with `ApiError`: 400 with all
 * field errors, 404, 429, 503 if the processors lag too far or it takes too long; with `StoreError` if the store fails.
 */
export type ReportRunner<Body = unknown> = (
  companyId: string,
  body: unknown,
  options?: { readonly signal?: AbortSignal },
) => Promise<Body>

/** The reports by the last part of their paths, and other reads of documents under the same limits. */
export interface Reports {
  readonly production: ReportRunner<ReportBody>
  /** Formulas of metrics, and the sums of these. */
  readonly explanation: ReportRunner<ProductionExplanation>
  readonly downtime: ReportRunner<ReportBody<EventValue>>
  readonly quality: ReportRunner<ReportBody<EventValue>>
  readonly alarm: ReportRunner<ReportBody<EventValue>>
  readonly alarmInstances: ReportRunner<AlarmInstancesResponse>
  readonly incident: ReportRunner<ReportBody<EventValue>>
  /** Lengths of the cycles of a job operation. */
  readonly cycleTimes: ReportRunner<CycleTimesResponse>
  readonly plant: PlantReader
  /** Reads for background work: no caller reads again, so they request no flush. */
  readonly backgroundPlant: PlantReader
  /** Counts the parts within the time of a job run, up to now; rejects as a report does. */
  jobRunParts(run: RunTime, options?: { readonly signal?: AbortSignal }): Promise<JobRunParts>
  /** Finds the incidents that an alert rule would have opened; rejects as a report does. */
  tryRule(companyId: string, request: RuleTrialRequest, options?: { readonly signal?: AbortSignal }): Promise<RuleTrial>
  /** Stops following the records. */
  readonly stop: () => void
}

type Build<Body> = (body: unknown, view: CompanyView, queries: ReportQueries) => Promise<Body>

export function createReports(deps: ReportsDeps): Reports {
  const {
    measure = (_, report) => report(),
    requestFlush = () => undefined,
    aroundRead = run => run(),
    recentSamples = async () => undefined,
    monotonicMs = () => performance.now(),
  } = deps
  const views = createCompanyViews(deps)
  const limiter = createReportLimiter(deps.concurrency ?? 32)
  const reportDeps = { ...deps, written: new WrittenHours(), coverage: new CoverageCache() }
  const read: Read = (name, companyId, signal, work, tooLarge) =>
    limiter(companyId, () =>
      withReportTimeout(signal, within => {
        const view = views.of(companyId)
        if (!view) throw notFound()
        const queries = createQueryContext(reportDeps, view.company, name, within)
        return mapQueryLimitErrors(work(view, queries), tooLarge)
      }),
    )
  const readFresh: Read = (...args) => aroundRead(() => read(...args)).finally(requestFlush)
  const runner =
    <Body>(kind: string, build: Build<Body>, name = kind): ReportRunner<Body> =>
    (companyId, body, { signal } = {}) =>
      measure(kind, () => readFresh(name, companyId, signal, (view, queries) => build(body, view, queries)))
  const runnerOf = <T extends ReportTypes>(report: Report<T>) =>
    runner<ReportBody<T['value']>>(report.name, (...args) => buildReport(report, ...args))
  return {
    production: runnerOf(productionReport),
    explanation: runner('production', explainProduction),
    downtime: runnerOf(downtimeReport),
    quality: runnerOf(qualityReport),
    alarm: runnerOf(alarmReport),
    alarmInstances: runner('alarmInstances', reportAlarmInstances, 'alarm/instances'),
    incident: runner('incident', (...args) => buildRecordReport(incidentReport, ...args)),
    cycleTimes: runner('cycleTimes', reportCycleTimes, 'cycle-times'),
    plant: createPlantReader({ ...deps, read: readFresh }),
    backgroundPlant: createPlantReader({ ...deps, read }),
    jobRunParts: (run, { signal } = {}) =>
      readFresh('production', run.companyId, signal, (view, queries) => countParts(run, view, queries)),
    tryRule: async (companyId, request, { signal } = {}) => {
      if ('silent' in request.rule.condition) await recentSamples(request.range.endMs)
      const work = (view: CompanyView, queries: ReportQueries) =>
        readRuleTrial(request, { ...queries, view, monotonicMs })
      return readFresh('alert-rules', companyId, signal, work, rangeTooLarge)
    },
    stop: views.stop,
  }
}
