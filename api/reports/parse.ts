import { type FilterName, type GroupingName, reportDimensions, type ReportName } from '../../schema/groupings.ts'
import { isMetricName, type MetricName } from '../../schema/metrics.ts'
import { fault, validationError } from '../../schema/errors.ts'
import type { Fault } from '../../schema/records.ts'
import { type FileFormat, fileFormats } from '../files/table.ts'
import { parseRange } from './parse-range.ts'
import type { Filters, ProductionRequest, ReportRequest } from './request.ts'

/** A JSON object whose keys nothing is known of. */
export type Body = Readonly<Record<string, unknown>>

/** The body of `POST /reports/production`. Throws a ValidationError with every fault found; unknown keys are ignored. */
export function parseProduction(body: unknown): ProductionRequest {
  const faults: Fault[] = []
  const object = bodyOf(body, faults)
  const metrics = parseMetrics(object['data'], faults)
  const common = parseCommon('production', object, faults)
  if (faults.length > 0 || common === null) throw validationError(faults)
  return { ...common, report: 'production', metrics }
}

/** What all reports have in common; null where the range has a fault. */
function parseCommon(report: ReportName, body: Body, faults: Fault[]): ReportRequest | null {
  const range = parseRange(body, faults)
  const rest = {
    report,
    groupBy: parseGroupBy(report, body['groupBy'], faults),
    filters: parseFilters(report, body['filter'], faults),
    ...parseFileWish(body, faults),
    flatten: parseFlag('flatten', body['flatten'], faults),
  }
  return range && { ...rest, range }
}

function bodyOf(body: unknown, faults: Fault[]): Body {
  if (isObject(body)) return body
  faults.push(fault('body', 'InvalidType', 'Body must be an object'))
  return {}
}

function parseMetrics(data: unknown, faults: Fault[]): readonly MetricName[] {
  const items = listOf('data', data, faults)
  if (isAbsent(data) || (Array.isArray(data) && items.length === 0)) {
    faults.push(fault('data', 'Required', 'Data must name at least one metric'))
  }
  const names = items.flatMap(item => {
    const name = isObject(item) ? item['metric'] : undefined
    if (typeof name === 'string' && isMetricName(name)) return [name]
    faults.push(fault('data', 'InvalidDataItem', `Metric ${shown(name)} is not valid`))
    return []
  })
  return [...new Set(names)]
}

function parseGroupBy(report: ReportName, groupBy: unknown, faults: Fault[]): readonly GroupingName[] {
  const known: readonly GroupingName[] = reportDimensions[report].groupings
  const groups: GroupingName[] = []
  for (const item of listOf('groupBy', groupBy, faults)) {
    const name = isObject(item) ? item['group'] : undefined
    const group = known.find(each => each === name)
    if (group === undefined) faults.push(fault('groupBy', 'InvalidGroup', `Group ${shown(name)} is not valid`))
    else if (groups.includes(group)) faults.push(fault('groupBy', 'InvalidGroup', `Group '${group}' is given twice`))
    else groups.push(group)
  }
  return groups
}

function parseFilters(report: ReportName, filter: unknown, faults: Fault[]): Filters {
  if (isAbsent(filter)) return {}
  if (!isObject(filter)) {
    faults.push(fault('filter', 'InvalidType', 'Filter must be an object'))
    return {}
  }
  const known: readonly FilterName[] = reportDimensions[report].filters
  const filters: Partial<Record<FilterName, readonly string[]>> = {}
  for (const [key, value] of Object.entries(filter)) {
    const name = known.find(each => each === key)
    if (name === undefined) faults.push(fault('filter', 'InvalidFilter', `Filter ${shown(key)} is not valid`))
    else {
      const ids = parseIds(`filter.${name}`, value, faults)
      if (ids.length > 0) filters[name] = ids
    }
  }
  return filters
}

/** Ids are strings; those that are ints may come as numbers. */
function parseIds(field: string, value: unknown, faults: Fault[]): readonly string[] {
  const ids = listOf(field, value, faults)
  if (ids.every(id => typeof id === 'string' || Number.isSafeInteger(id))) return [...new Set(ids.map(String))]
  faults.push(fault(field, 'InvalidType', `${title(field)} must hold strings only`))
  return []
}

/** Whether the report is wanted as a file too, and of which format. */
export function parseFileWish(body: Body, faults: Fault[]): Pick<ReportRequest, 'csv' | 'format'> {
  const csv = parseFlag('csv', body['csv'], faults)
  const format = parseFormat(body['format'], faults)
  return { csv, ...(format === 'parquet' && { format }) }
}

function parseFormat(value: unknown, faults: Fault[]): FileFormat {
  const format = isAbsent(value) ? 'csv' : fileFormats.find(each => each === value)
  if (format === undefined) faults.push(fault('format', 'InvalidEnum', `Format ${shown(value)} is not valid`))
  return format ?? 'csv'
}

function parseFlag(field: string, value: unknown, faults: Fault[]): boolean {
  if (isAbsent(value)) return false
  if (typeof value === 'boolean') return value
  faults.push(fault(field, 'InvalidType', `${title(field)} must be a boolean`))
  return false
}

function listOf(field: string, value: unknown, faults: Fault[]): readonly unknown[] {
  if (isAbsent(value)) return []
  if (Array.isArray(value)) return value
  faults.push(fault(field, 'InvalidType', `${title(field)} must be an array`))
  return []
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value of the caller in a message, at a length fit to read. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return `'${text.length > 100 ? `${text.slice(0, 100)}…` : text}'`
}

function title(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}`
}
