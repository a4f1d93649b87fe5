import { alarmInstancesAnswer, alarmInstancesInput } from '../../schema/requests/alarm-instances.ts'
import type { Of, Schema } from '../../schema/types.ts'
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
import { anyOf } from '../auth/scopes.ts'
import { type Route, route, uncheckedBody } from '../http/route.ts'
import type { DemoPort, IncompleteHistory } from './demo.ts'
import type { AlarmInstancesAnswer } from '../../schema/requests/alarm-instances.ts'

/** Runs a report. Throws an `ApiError` for invalid requests, or 503 if the processors are too far behind. */
export type ReportRunner<Body = unknown> = (request: {
  readonly companyId: string
  readonly body: unknown
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}) => Promise<ReportAnswer<Body>>

interface ReportAnswer<Body> {
  readonly body: Body
  /** Lag of the processors, for the header `Takt-Lag-Ms`. */
  readonly lagMs: number
}

interface ReportsPort {
  readonly production: ReportRunner
  readonly explanation: ReportRunner<ProductionExplanation>
  readonly downtime: ReportRunner
  readonly quality: ReportRunner
  readonly alarm: ReportRunner
  readonly alarmInstances: ReportRunner<AlarmInstancesAnswer>
}

interface ReportRoute<S extends Schema> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly input: Schema
  readonly output: S
  readonly runner: (reports: ReportsPort) => ReportRunner<Of<S>>
}

function postReport<S extends Schema>(declared: ReportRoute<S>): Route<ReportsPort & DemoPort> {
  const { path, operationId, summary, description, input, output, runner } = declared
  return route({
    method: 'POST',
    path: `/reports/${path}`,
    operationId,
    summary,
    description: `${description} The header \`Takt-Lag-Ms\` tells how far the processors are behind.`,
    scope: anyOf('reporting'),
    body: uncheckedBody(input),
    output,
    async handle({ caller, body, baseUrl, signal, setHeader }, deps: ReportsPort & DemoPort) {
      const { company } = caller()
      // Before the report is read: what is sent meanwhile may be missing in it.
      const history = deps.demo.history(company)
      const { body: answer, lagMs } = await runner(deps)({ companyId: company.id, body, signal })
      setHeader('Takt-Lag-Ms', String(Math.round(lagMs)))
      return withAddress(history ? withHistoryWarning(answer, history) : answer, baseUrl)
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
    description: 'The metrics asked for, of every group.',
    input: productionReportInput,
    output: productionReportAnswer,
    runner: reports => reports.production,
  }),
  postReport({
    path: 'production/explanation',
    operationId: 'explainProductionReport',
    summary: 'Explains numbers of a production report',
    description:
      'For every metric asked for its formula, and the times and counts of the whole range that were put into it. Takes the body of the report; groupings and files are left aside.',
    input: productionReportInput,
    output: productionExplanation,
    runner: reports => reports.explanation,
  }),
  postReport({
    path: 'downtime',
    operationId: 'getDowntimeReport',
    summary: 'Downtime report: how long machines stood still, and why',
    description:
      'Downtime and its records of every group; by `reason`, time in setup and time without a reason have items of their own.',
    input: downtimeReportInput,
    output: downtimeReportAnswer,
    runner: reports => reports.downtime,
  }),
  postReport({
    path: 'quality',
    operationId: 'getQualityReport',
    summary: 'Quality report: rejected parts, and why',
    description: 'Rejects of every group, and the part adjustments that told them.',
    input: qualityReportInput,
    output: qualityReportAnswer,
    runner: reports => reports.quality,
  }),
  postReport({
    path: 'alarm',
    operationId: 'getAlarmReport',
    summary: 'Alarm report: what was active, how long, how often',
    description: 'The metrics asked for, of every group. What is rejected is left out, whatever the filter says.',
    input: alarmReportInput,
    output: alarmReportAnswer,
    runner: reports => reports.alarm,
  }),
  postReport({
    path: 'alarm/instances',
    operationId: 'listAlarmInstances',
    summary: 'Alarm instances, a page at a time',
    description:
      'From an instant on, or from an `alarmId` on. Instances come by start, then alarmId: a walk that begins with `start` and goes on with the last `alarmId` as `startId` meets each exactly once. With `orderBy: "id"` they come in the order in which they were first seen, late ones last.',
    input: alarmInstancesInput,
    output: alarmInstancesAnswer,
    runner: reports => reports.alarmInstances,
  }),
]
