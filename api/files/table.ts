import { flatFieldName, groupingFields, type GroupingName, groupings, isTimeGrouping } from '../../schema/groupings.ts'
import { type MetricName, metrics, type Unit } from '../../schema/metrics.ts'
import type { FileFormat } from '../../schema/requests/report.ts'

/** A table of a report for an export: rows are iterated, so that they need not be in memory at the same time. */
export interface FileTable {
  readonly columns: readonly FileColumn[]
  readonly rows: Iterable<FileTableRow>
}

export interface FileColumn {
  /** As in a flattened row of the report. */
  readonly name: string
  readonly title: string
  readonly kind: ColumnKind
}

/**
 * Kind of a column's cells: `instant` is an ISO text or UTC ms, `date` a shop date as an ISO instant at midnight, `ms`
 * a duration, `msPerPart` the duration of a part, `ratio` a number of which 1 is 100 %, `rate` a number per hour,
 * `integer` a count or an id without a fraction.
 */
export type ColumnKind = 'text' | 'date' | 'instant' | 'number' | 'integer' | 'ms' | 'msPerPart' | 'ratio' | 'rate'

/** A table whose rows are in the store, which writes the file itself. */
export interface StoredTable {
  readonly columns: readonly FileColumn[]
  /** Writes a new file. Rejects if the store fails; an incomplete file may exist then. */
  write(to: FileTarget): Promise<void>
}

export interface FileTarget {
  readonly path: string
  readonly format: FileFormat
  readonly signal?: AbortSignal
}

/** Time of a report's rows: shop days, both included, or instants. */
export type FileRange =
  | { readonly form: 'instants'; readonly startMs: number; readonly endMs: number }
  | { readonly form: 'days'; readonly startDay: string; readonly endDay: string }

export type FileTableRow = readonly Cell[]
export type Cell = string | number | null

/** The reports that can be exported, as in the URLs of their files. */
export const fileReports = ['production', 'downtime', 'quality', 'alarm', 'alarm/instances', 'incident'] as const
export type FileReport = (typeof fileReports)[number]

/** The table of flattened rows: the columns of the groupings, then the values, in the order of the request. */
export function reportTable(
  groupBy: readonly GroupingName[],
  values: readonly FileColumn[],
  rows: Iterable<FileTableRow>,
): FileTable {
  return { columns: [...groupBy.flatMap(groupColumns), ...values], rows }
}

/** The columns of production metrics. */
export function metricColumns(names: readonly MetricName[]): readonly FileColumn[] {
  return names.map(name => ({ name, title: metrics[name].title, kind: kindOfUnit[metrics[name].unit] }))
}

export const kindOfUnit: Readonly<Record<Unit, ColumnKind>> = {
  ms: 'ms',
  parts: 'number',
  ratio: 'ratio',
  'parts/h': 'rate',
  'ms/part': 'msPerPart',
  instant: 'instant',
}

/** The columns that name a level of grouping, in the order of `Member.cells`. */
export function groupColumns(group: GroupingName): readonly FileColumn[] {
  const { title } = groupings[group]
  const fields = groupingFields[group].filter(({ inFiles }) => inFiles)
  const hasIntegerIds = isTimeGrouping(group) || group === 'nativeCode'
  return [
    { name: group, title, kind: isTimeGrouping(group) ? (group === 'hour' ? 'instant' : 'date') : 'text' },
    { name: `${group}Id`, title: `${title} id`, kind: hasIntegerIds ? 'integer' : 'text' },
    ...fields.map((field): FileColumn => ({
      name: flatFieldName(group, field.name),
      title: field.title,
      kind: field.kind === 'instant' ? 'instant' : 'text',
    })),
  ]
}
