import { alarmInstancesAnswer, alarmInstancesInput } from '../../schema/requests/alarm-instances.ts'
import type { Infer, Schema } from '../../schema/types.ts'
import { productionReportAnswer, productionReportInput } from '../../schema/requests/production-report.ts'
import { productionExplanation, type ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import {
  alarmReportAnswer,
  alarmReportInput,
  downtimeReportAnswer,
  downtimeReportInput,
  qualityReportAnswer,
  qualityReportInput,
} from '../../schema/requests/record-reports.ts'
import { withAddress } from '../files/address.ts'
import type { ReportRunner } from '../reports/reports.ts'
import { anyOf } from '../auth/scopes.ts'
import { type Route, route, uncheckedBody } from '../http/route.ts'
import type { DemoPort, IncompleteHistory } from './demo.ts'
import type { AlarmInstancesAnswer } from '../../schema/requests/alarm-instances.ts'

interface ReportsPort {
  readonly production: ReportRunner
  readonly explanation: ReportRunner<ProductionExplanation>
  readonly downtime: ReportRunner
  readonly quality: ReportRunner
  readonly alarm: ReportRunner
  readonly alarmInstances: ReportRunner<AlarmInstancesAnswer>
  /** Lag of the processors in ms, for the header `Takt-Lag-Ms`. */
  readonly lagMs: () => number
}

interface ReportRoute<S extends Schema> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly input: Schema
  readonly output: S
  readonly runner: (reports: ReportsPort) => ReportRunner<Infer<S>>
}

function postReport<S extends Schema>(declared: ReportRoute<S>): Route<ReportsPort & DemoPort> {
  const { path, operationId, summary, description, input, output, runner } = declared
  return route({
    method: 'POST',
    path: `/reports/${path}`,
    operationId,
    summary,
    description: `${description} The header \`Takt-Lag-Ms\` contains the lag of the processors.`,
    scope: anyOf('reporting'),
    body: uncheckedBody(input),
    output,
    async handle({ caller, body, baseUrl, signal, setHeader }, deps: ReportsPort & DemoPort) {
      const { company } = caller()
      // Before the report is read: what is sent meanwhile may be missing in it.
      const history = deps.demo.history(company)
      const report = await runner(deps)(company.id, body, { signal })
      setHeader('Takt-Lag-Ms', String(Math.round(deps.lagMs())))
      return withAddress(history ? withHistoryWarning(report, history) : report, baseUrl)
    },
  })
}

/** Adds a warning to a report whose range overlaps the incomplete history. */
function withHistoryWarning<Answer>(answer: Answer, { fromMs, share }: IncompleteHistory): Answer {
  if (Date.parse(rangeEndOf(answer)) <= fromMs) return answer
  const message = `The simulated history is ${Math.floor(share * 100)} % complete.`
  return { ...answer, warnings: [{ field: 'range', message }] }
}

/** End of the range of a report; empty if the report goes on up to now. */
function rangeEndOf(answer: unknown): string {
  const { range }: { readonly range?: { readonly end?: unknown } } = Object(answer)
  return typeof range?.end === 'string' ? range.end : ''
}

export const reportRoutes = [
  postReport({
    path: 'production',
    operationId: 'getProductionReport',
    summary: 'Production report: parts, times and rates',
    description: 'The requested metrics of every group.',
    input: productionReportInput,
    output: productionReportAnswer,
    runner: reports => reports.production,
  }),
  postReport({
    path: 'production/explanation',
    operationId: 'explainProductionReport',
    summary: 'Explain metrics of a production report',
    description:
      'Returns the formula of each requested metric, with the times and counts of the whole range as its inputs. The body is that of the report; groupings and files are ignored.',
    input: productionReportInput,
    output: productionExplanation,
    runner: reports => reports.explanation,
  }),
  postReport({
    path: 'downtime',
    operationId: 'getDowntimeReport',
    summary: 'Downtime report: duration and reasons of stops',
    description:
      'Downtime and downtime records of every group. Grouped by `reason`, setup and uncategorized time have their own items.',
    input: downtimeReportInput,
    output: downtimeReportAnswer,
    runner: reports => reports.downtime,
  }),
  postReport({
    path: 'quality',
    operationId: 'getQualityReport',
    summary: 'Quality report: rejected parts and reasons',
    description: 'Rejects of every group, with their part adjustments.',
    input: qualityReportInput,
    output: qualityReportAnswer,
    runner: reports => reports.quality,
  }),
  postReport({
    path: 'alarm',
    operationId: 'getAlarmReport',
    summary: 'Alarm report: duration and number of alarms',
    description: 'The requested metrics of every group. `reject` takes precedence over the filter.',
    input: alarmReportInput,
    output: alarmReportAnswer,
    runner: reports => reports.alarm,
  }),
  postReport({
    path: 'alarm/instances',
    operationId: 'listAlarmInstances',
    summary: 'A page of alarm instances',
    description:
      'Begins at an instant or an `alarmId`. Instances are sorted by start, then alarmId: requests that begin with `start` and continue with the last `alarmId` as `startId` return each exactly once. With `orderBy: "id"` they are in the order in which they were first seen, late ones last.',
    input: alarmInstancesInput,
    output: alarmInstancesAnswer,
    runner: reports => reports.alarmInstances,
  }),
]
