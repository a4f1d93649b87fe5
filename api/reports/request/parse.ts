import { type FilterName, type GroupingName, reportDimensions, type ReportName } from '../../../schema/groupings.ts'
import { isMetricName } from '../../../schema/metrics.ts'
import { type Fault, fault, validationError } from '../../../schema/errors.ts'
import { isAlarmMetricName } from '../../../schema/event-metrics.ts'
import { productionReportInput } from '../../../schema/requests/production-report.ts'
import { alarmReportInput, downtimeReportInput, qualityReportInput } from '../../../schema/requests/record-reports.ts'
import { maxNames } from '../../../schema/requests/report.ts'
import type { Schema } from '../../../schema/types.ts'
import { type Body, bodyOf, checkFields, conditionsOf, isAbsent, namesOf } from './check-fields.ts'
import { parseRange } from './parse-range.ts'
import type { AlarmRequest, ProductionRequest, ReportFilters, ReportRequest } from './request.ts'

const inputs: Readonly<Record<ReportName, Schema>> = {
  production: productionReportInput,
  downtime: downtimeReportInput,
  quality: qualityReportInput,
  alarm: alarmReportInput,
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

/** The common part of all reports, and the checked fields. */
function parseReport(report: ReportName, body: unknown): { readonly request: ReportRequest; readonly fields: Body } {
  const faults: Fault[] = []
  const fields = bodyOf(body, faults)
  const schema = inputs[report]
  checkFields(fields, schema, ['data'], faults)
  const range = parseRange(fields, schema, faults)
  checkFields(fields, schema, ['groupBy'], faults)
  const groupBy = groupsOf(report, fields, faults)
  checkFields(fields, schema, ['filter', 'format', 'csv', 'flatten', 'reject'], faults)
  if (faults.length > 0 || range === null) throw validationError(faults)
  const filters = filtersOf(report, fields['filter'])
  const request = { report, range, groupBy, filters, ...parseFile(fields), flatten: fields['flatten'] === true }
  return { request, fields }
}

function metricsOf<Name extends string>(fields: Body, isKnown: (name: string) => name is Name): readonly Name[] {
  return [...new Set(namesOf(fields['data'], 'metric'))].filter(name => typeof name === 'string' && isKnown(name))
}

/** The known groups in the order of the request; adds an error for each that occurs again. */
function groupsOf(report: ReportName, fields: Body, faults: Fault[]): readonly GroupingName[] {
  const known: readonly GroupingName[] = reportDimensions[report].groupings
  const groups = new Set<GroupingName>()
  const names = namesOf(fields['groupBy'], 'group')
  for (const name of names.length > maxNames ? [] : names) {
    const group = known.find(each => each === name)
    if (group === undefined) continue
    if (groups.has(group)) faults.push(fault('groupBy', 'InvalidGroup', `Group '${group}' is given twice`))
    groups.add(group)
  }
  return [...groups]
}

function filtersOf(report: ReportName, conditions: unknown): ReportFilters {
  const names: readonly FilterName[] = reportDimensions[report].filters
  return conditionsOf(conditions, names)
}

/** Whether checked fields name a file, and its format. Parquet means a file, unless `csv` is false. */
export function parseFile({ csv, format }: Body): Pick<ReportRequest, 'csv' | 'format'> {
  const isParquet = format === 'parquet'
  return { csv: isAbsent(csv) ? isParquet : csv === true, ...(isParquet && { format }) }
}
