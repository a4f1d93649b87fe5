import { mostNames } from '../../../schema/requests/report.ts'
import { type GroupingName, reportDimensions, type ReportName } from '../../../schema/groupings.ts'
import { isMetricName, metrics as metricsByName } from '../../../schema/metrics.ts'
import { type Fault, fault, validationError } from '../../../schema/errors.ts'
import { isAlarmMetricName, eventMetrics } from '../../../schema/event-metrics.ts'
import { type FileFormat, fileFormats } from '../../files/table.ts'
import { type Body, bodyOf, isAbsent, isObject, parseList, parseConditions, parseFlag } from './parse-fields.ts'
import { addNotValid } from './not-valid.ts'
import { parseRange } from './parse-range.ts'
import type { AlarmRequest, ProductionRequest, ReportRequest } from './request.ts'

/** The body of `POST /reports/production`. Throws a ValidationError with every fault found; unknown keys are ignored. */
export function parseProduction(body: unknown): ProductionRequest {
  const faults: Fault[] = []
  const object = bodyOf(body, faults)
  const metrics = parseMetrics(object['data'], isMetricName, Object.keys(metricsByName), faults)
  const common = parseCommon('production', object, faults)
  if (faults.length > 0 || common === null) throw validationError(faults)
  return { ...common, report: 'production', metrics }
}

/** The body of `POST /reports/downtime` or `POST /reports/quality`; in everything else as `parseProduction`. */
export function parseByReason(report: 'downtime' | 'quality', body: unknown): ReportRequest {
  const faults: Fault[] = []
  const request = parseCommon(report, bodyOf(body, faults), faults)
  if (faults.length > 0 || request === null) throw validationError(faults)
  return request
}

/** The body of `POST /reports/alarm`; in everything else as `parseProduction`. */
export function parseAlarm(body: unknown): AlarmRequest {
  const faults: Fault[] = []
  const object = bodyOf(body, faults)
  const metrics = parseMetrics(object['data'], isAlarmMetricName, Object.keys(eventMetrics.alarm), faults)
  const common = parseCommon('alarm', object, faults)
  const rejects = parseConditions('reject', reportDimensions.alarm.filters, object['reject'], faults)
  if (faults.length > 0 || common === null) throw validationError(faults)
  return { ...common, report: 'alarm', metrics, rejects }
}

/** Parses the common part of all reports; null if the range is invalid. */
function parseCommon(report: ReportName, body: Body, faults: Fault[]): ReportRequest | null {
  const range = parseRange(body, faults)
  const rest = {
    report,
    groupBy: parseGroupBy(report, body['groupBy'], faults),
    filters: parseConditions('filter', reportDimensions[report].filters, body['filter'], faults),
    ...parseFileWish(body, faults),
    flatten: parseFlag('flatten', body['flatten'], faults),
  }
  return range && { ...rest, range }
}

function parseMetrics<Name extends string>(
  data: unknown,
  isKnown: (name: string) => name is Name,
  known: readonly string[],
  faults: Fault[],
): readonly Name[] {
  const items = parseList('data', data, faults, mostNames)
  if (isAbsent(data) || (Array.isArray(data) && data.length === 0)) {
    faults.push(fault('data', 'Required', 'Data must name at least one metric'))
  }
  const names = items.flatMap(item => {
    const name = nameOf(item, 'metric')
    if (typeof name === 'string' && isKnown(name)) return [name]
    addNotValid(faults, { field: 'data', code: 'InvalidDataItem', noun: 'Metric', value: name }, known)
    return []
  })
  return [...new Set(names)]
}

function parseGroupBy(report: ReportName, groupBy: unknown, faults: Fault[]): readonly GroupingName[] {
  const known: readonly GroupingName[] = reportDimensions[report].groupings
  const groups: GroupingName[] = []
  for (const item of parseList('groupBy', groupBy, faults, mostNames)) {
    const name = nameOf(item, 'group')
    const group = known.find(each => each === name)
    if (group === undefined)
      addNotValid(faults, { field: 'groupBy', code: 'InvalidGroup', noun: 'Group', value: name }, known)
    else if (groups.includes(group)) faults.push(fault('groupBy', 'InvalidGroup', `Group '${group}' is given twice`))
    else groups.push(group)
  }
  return groups
}

/** An item names something as `{metric: "oee"}`, or `"oee"` for short. */
function nameOf(item: unknown, field: string): unknown {
  if (typeof item === 'string') return item
  return isObject(item) ? item[field] : undefined
}

/** Whether the report is wanted as a file too, and of which format. Parquet means a file, unless `csv` says that none is wanted. */
export function parseFileWish(body: Body, faults: Fault[]): Pick<ReportRequest, 'csv' | 'format'> {
  const format = parseFormat(body['format'], faults)
  const csv = isAbsent(body['csv']) ? format === 'parquet' : parseFlag('csv', body['csv'], faults)
  return { csv, ...(format === 'parquet' && { format }) }
}

function parseFormat(value: unknown, faults: Fault[]): FileFormat {
  const format = isAbsent(value) ? 'csv' : fileFormats.find(each => each === value)
  if (format === undefined)
    addNotValid(faults, { field: 'format', code: 'InvalidEnum', noun: 'Format', value }, fileFormats)
  return format ?? 'csv'
}
