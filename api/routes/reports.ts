import {
  type AlarmInstancesResponse,
  alarmInstancesResponse,
  alarmInstancesInput,
} from '../../schema/requests/alarm-instances.ts'
import { type CycleTimesResponse, cycleTimesInput, cycleTimesResponse } from '../../schema/requests/cycle-times.ts'
import type { Infer, Schema } from '../../schema/types.ts'
import { productionReportResponse, productionReportInput } from '../../schema/requests/production-report.ts'
import { productionExplanation, type ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import {
  alarmReportResponse,
  alarmReportInput,
  downtimeReportResponse,
  downtimeReportInput,
  incidentReportInput,
  incidentReportResponse,
  qualityReportResponse,
  qualityReportInput,
} from '../../schema/requests/record-reports.ts'
import type { ExportedFile } from '../files/files.ts'
import type { ReportRunner } from '../reports/reports.ts'
import { anyOf } from '../auth/scopes.ts'
import { type Route, route, uncheckedBody } from '../http/route.ts'
import type { DemoPort, IncompleteHistory } from './demo.ts'

interface ReportsPort {
  readonly production: ReportRunner
  readonly explanation: ReportRunner<ProductionExplanation>
  readonly downtime: ReportRunner
  readonly quality: ReportRunner
  readonly alarm: ReportRunner
  readonly alarmInstances: ReportRunner<AlarmInstancesResponse>
  readonly incident: ReportRunner
  readonly cycleTimes: ReportRunner<CycleTimesResponse>
  /** Lag of the processors in ms, for the header `Takt-Lag-Ms`. */
  readonly lagMs: () => number
}

interface ReportRoute<S extends Schema> {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly input: Schema
  readonly output: S
}

function postReport<S extends Schema>(
  path: string,
  runnerOf: (reports: ReportsPort) => ReportRunner<Infer<S>>,
  { operationId, summary, description, input, output }: ReportRoute<S>,
): Route<ReportsPort & DemoPort> {
  return route(`POST /reports/${path}`, operationId, {
    summary,
    description: `${description} The header \`Takt-Lag-Ms\` contains the lag of the processors.`,
    scope: anyOf('reporting'),
    body: uncheckedBody(input),
    output,
    async handle({ caller, body, baseUrl, signal, setHeader }, deps: ReportsPort & DemoPort) {
      const { company } = caller()
      // Before the report is read: what is sent meanwhile may be missing in it.
      const history = deps.demo.history(company)
      const report = await runnerOf(deps)(company.id, body, { signal })
      setHeader('Takt-Lag-Ms', String(Math.round(deps.lagMs())))
      return completed(report, baseUrl, history)
    },
  })
}

/** Adds the address to the path of a file, and a warning if the range overlaps an incomplete history. */
function completed<Result>(result: Result, baseUrl: string, history: IncompleteHistory | null): Result {
  const { csv, range }: { readonly csv?: ExportedFile; readonly range?: { readonly end?: string } } = Object(result)
  // A report without an end goes on up to now.
  const isIncomplete = history !== null && !(Date.parse(range?.end ?? '') <= history.fromMs)
  const percent = Math.floor((history?.share ?? 1) * 100)
  const message = `The simulated history is ${percent}% complete.`
  return {
    ...result,
    ...(csv && { csv: { ...csv, url: `${baseUrl}${csv.url}` } }),
    ...(isIncomplete && { warnings: [{ field: 'range', message }] }),
  }
}

export const reportRoutes = [
  postReport('production', reports => reports.production, {
    operationId: 'getProductionReport',
    summary: 'Production report: parts, times and rates',
    description: 'The requested metrics of every group.',
    input: productionReportInput,
    output: productionReportResponse,
  }),
  postReport('production/explanation', reports => reports.explanation, {
    operationId: 'explainProductionReport',
    summary: 'Explain metrics of a production report',
    description:
      'Returns the formula of each requested metric, with the times and counts of the whole range as its inputs. The body is that of the report; groupings and files are ignored.',
    input: productionReportInput,
    output: productionExplanation,
  }),
  postReport('downtime', reports => reports.downtime, {
    operationId: 'getDowntimeReport',
    summary: 'Downtime report: duration and reasons of stops',
    description:
      'Downtime and downtime records of every group. Grouped by `reason`, setup and uncategorized time have their own items.',
    input: downtimeReportInput,
    output: downtimeReportResponse,
  }),
  postReport('quality', reports => reports.quality, {
    operationId: 'getQualityReport',
    summary: 'Quality report: rejected parts and reasons',
    description: 'Rejects of every group, with their part adjustments.',
    input: qualityReportInput,
    output: qualityReportResponse,
  }),
  postReport('alarm', reports => reports.alarm, {
    operationId: 'getAlarmReport',
    summary: 'Alarm report: duration and number of alarms',
    description: 'The requested metrics of every group. `reject` takes precedence over the filter.',
    input: alarmReportInput,
    output: alarmReportResponse,
  }),
  postReport('incident', reports => reports.incident, {
    operationId: 'getIncidentReport',
    summary: 'Incident report: times to acknowledge and to resolve',
    description:
      'Numbers and times of the incidents that began in the range, except retracted ones, whole and up to now. `shift` and `operator` are those of the machine at `startedAt`. Grouped by `incident`, each incident is an item with the name of its machine or system check; connectors are not named. At most 200,000 incidents.',
    input: incidentReportInput,
    output: incidentReportResponse,
  }),
  postReport('cycle-times', reports => reports.cycleTimes, {
    operationId: 'getCycleTimes',
    summary: 'Cycle times of a job operation: median, spread and histogram',
    description:
      'Lengths of the cycles of one job operation, beside its ideal cycle time. A cycle is a longest interval in cycle. It counts if it lies wholly in the range and in one job run, without setup, and if the machine is known not to be in cycle before and after it. Percentiles are by nearest rank. The time from the first to the last job run in the range, times the number of their machines, is limited to 2,000 days.',
    input: cycleTimesInput,
    output: cycleTimesResponse,
  }),
  postReport('alarm/instances', reports => reports.alarmInstances, {
    operationId: 'listAlarmInstances',
    summary: 'A page of alarm instances',
    description:
      'Begins at an instant or an `alarmId`. Instances are sorted by start, then alarmId: requests that begin with `start` and continue with the last `alarmId` as `startId` return each exactly once. With `orderBy: "id"` they are in the order in which they were first seen, late ones last.',
    input: alarmInstancesInput,
    output: alarmInstancesResponse,
  }),
]
