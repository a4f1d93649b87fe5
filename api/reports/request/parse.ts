import type { FileRange } from '../../files/table.ts'
import { type FileFormat, fileFormats } from '../../../schema/requests/report.ts'
import { type FilterName, type GroupingName, type ReportName, reportDimensions } from '../../../schema/groupings.ts'
import { type MetricName, isMetricName } from '../../../schema/metrics.ts'
import { type AlarmMetricName, isAlarmMetricName } from '../../../schema/event-metrics.ts'
import { type FieldError, fieldError, validationError, type FieldErrorCode } from '../../../schema/errors.ts'
import { productionReportInput } from '../../../schema/requests/production-report.ts'
import {
  alarmReportInput,
  downtimeReportInput,
  incidentReportInput,
  qualityReportInput,
} from '../../../schema/requests/record-reports.ts'
import { maxNames } from '../../../schema/requests/report.ts'
import type { Schema } from '../../../schema/types.ts'
import { type Body, bodyOf, checkFields, conditionsOf, isAbsent, namesOf, title } from './check-fields.ts'
import { parseInstantMs } from '../../../shared/time/instant.ts'
import { isLocalDate } from '../../../shared/time/local-date.ts'

/** A valid report request: the input of all stages after parsing. */
export interface ReportRequest {
  readonly report: ReportName
  readonly range: RequestedRange
  /** Outermost first, without repetition. */
  readonly groupBy: readonly GroupingName[]
  /** Ids per dimension (`none` included); a dimension without ids is missing. */
  readonly filters: ReportFilters
  /** Format of the requested file; null: no file is requested. */
  readonly file: FileFormat | null
  /** Items as a flat list of rows. */
  readonly flatten: boolean
}

export interface ProductionRequest extends ReportRequest {
  readonly report: 'production'
  /** In the order of the response, without repetition. */
  readonly metrics: readonly MetricName[]
}

export interface AlarmRequest extends ReportRequest {
  readonly report: 'alarm'
  /** In the order of the response, without repetition. */
  readonly metrics: readonly AlarmMetricName[]
  /** Alarms with one of these values are excluded, also if they match the filters. */
  readonly rejects: ReportFilters
}

export type ReportFilters = { readonly [Name in FilterName]?: readonly string[] }

/** Instants are UTC ms; days are shop dates `YYYY-MM-DD`, both included. */
export type RequestedRange = FileRange

const inputs: Readonly<Record<ReportName, Schema>> = {
  production: productionReportInput,
  downtime: downtimeReportInput,
  quality: qualityReportInput,
  alarm: alarmReportInput,
  incident: incidentReportInput,
}

/** The body of `POST /reports/production`. Throws an `ApiError` 400 with every field error; unknown keys are ignored. */
export function parseProduction(body: unknown): ProductionRequest {
  const { request, fields } = parseReport('production', body)
  return { ...request, report: 'production', metrics: metricsOf(fields, isMetricName) }
}

/** The body of `POST /reports/downtime` or `POST /reports/quality`; otherwise as `parseProduction`. */
export function parseByReason(report: 'downtime' | 'quality', body: unknown): ReportRequest {
  return parseReport(report, body).request
}

/** The body of `POST /reports/alarm`; otherwise as `parseProduction`. */
export function parseAlarm(body: unknown): AlarmRequest {
  const { request, fields } = parseReport('alarm', body)
  const metrics = metricsOf(fields, isAlarmMetricName)
  return { ...request, report: 'alarm', metrics, rejects: filtersOf('alarm', fields['reject']) }
}

/** The body of `POST /reports/incident`; otherwise as `parseProduction`. */
export function parseIncident(body: unknown): ReportRequest {
  return parseReport('incident', body).request
}

/** The common part of all reports, and the checked fields. */
function parseReport(report: ReportName, body: unknown): { readonly request: ReportRequest; readonly fields: Body } {
  const errors: FieldError[] = []
  const fields = bodyOf(body, errors)
  const schema = inputs[report]
  checkFields(fields, schema, ['data'], errors)
  const range = parseRange(fields, schema, errors)
  checkFields(fields, schema, ['groupBy'], errors)
  const groupBy = groupsOf(report, fields, errors)
  checkFields(fields, schema, ['filter', 'format', 'csv', 'flatten', 'reject'], errors)
  if (errors.length > 0 || range === null) throw validationError(errors)
  const filters = filtersOf(report, fields['filter'])
  const request = { report, range, groupBy, filters, file: parseFile(fields), flatten: fields['flatten'] === true }
  return { request, fields }
}

function metricsOf<Name extends string>(fields: Body, isKnown: (name: string) => name is Name): readonly Name[] {
  return [...new Set(namesOf(fields['data'], 'metric'))].filter(name => typeof name === 'string' && isKnown(name))
}

/** The known groups in the order of the request; adds an error for each that occurs again. */
function groupsOf(report: ReportName, fields: Body, errors: FieldError[]): readonly GroupingName[] {
  const known: readonly GroupingName[] = reportDimensions[report].groupings
  const groups = new Set<GroupingName>()
  const names = namesOf(fields['groupBy'], 'group')
  for (const name of names.length > maxNames ? [] : names) {
    const group = known.find(each => each === name)
    if (group === undefined) continue
    if (groups.has(group)) errors.push(fieldError('groupBy', 'InvalidGroup', `Group '${group}' is given twice`))
    groups.add(group)
  }
  return [...groups]
}

function filtersOf(report: ReportName, conditions: unknown): ReportFilters {
  const names: readonly FilterName[] = reportDimensions[report].filters
  return conditionsOf(conditions, names)
}

/** Format of the file that checked fields request; null: none. Another format than CSV requests a file, unless `csv` is false. */
export function parseFile({ csv, format }: Body): FileFormat | null {
  const chosen = fileFormats.find(each => each === format) ?? 'csv'
  const isRequested = isAbsent(csv) ? chosen !== 'csv' : csv === true
  return isRequested ? chosen : null
}

/** Earliest instant in the store. */
const earliestDay = '1970-01-01'

/** Exactly one of `start` and `end`, or `startDay` and `endDay`, with their order; null if there is an error. */
export function parseRange(body: Body, schema: Schema, errors: FieldError[]): RequestedRange | null {
  const has = (name: string) => !isAbsent(body[name])
  const byDays = has('startDay') || has('endDay')
  if (byDays && (has('start') || has('end'))) {
    errors.push(fieldError('start', 'MutuallyExclusive', 'Start and end must not be combined with startDay and endDay'))
    return null
  }
  const read = <T>(name: string, parse: (text: string) => T | null): T | null => {
    const value = body[name]
    if (isAbsent(value)) errors.push(fieldError(name, 'Required', `${title(name)} is required`))
    const parsed = typeof value === 'string' ? parse(value) : null
    if (parsed === null) checkFields(body, schema, [name], errors)
    return parsed
  }
  const reject = (code: FieldErrorCode, message: string) => {
    const name = byDays ? 'startDay' : 'start'
    errors.push(fieldError(name, code, `${title(name)} must ${message}`))
    return null
  }
  const isTooEarly = `not be before ${earliestDay}`
  if (byDays) {
    const [startDay, endDay] = [read('startDay', parseDay), read('endDay', parseDay)]
    if (startDay === null || endDay === null) return null
    if (startDay < earliestDay) return reject('OutOfRange', isTooEarly)
    return startDay <= endDay ? { form: 'days', startDay, endDay } : reject('InvalidRange', 'not be after endDay')
  }
  const [startMs, endMs] = [read('start', parseInstantMs), read('end', parseInstantMs)]
  if (startMs === null || endMs === null) return null
  if (startMs < 0) return reject('OutOfRange', isTooEarly)
  return startMs < endMs ? { form: 'instants', startMs, endMs } : reject('InvalidRange', 'be before end')
}

const day = /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/i

/** A date `YYYY-MM-DD`, also written as midnight in UTC (the format of `shopDate`); null for an invalid date. */
export function parseDay(text: string): string | null {
  const date = day.exec(text)?.[1]
  return date !== undefined && isLocalDate(date) ? date : null
}
