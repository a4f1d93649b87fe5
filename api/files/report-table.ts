import { flatFieldName, groupingFields, type GroupingName, groupings, isTimeGrouping } from '../../schema/groupings.ts'
import { type MetricName, metrics, type Unit } from '../../schema/metrics.ts'
import type { FileColumn, ColumnKind, FileTableRow, FileTable } from './table.ts'

/**
 * The table of a report's flattened rows: the columns of its groupings, then its values, each in the order of the
 * request.
 */
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
  return [
    { name: group, title, kind: isTimeGrouping(group) ? (group === 'hour' ? 'instant' : 'date') : 'text' },
    { name: `${group}Id`, title: `${title} id`, kind: hasIntegerIds(group) ? 'integer' : 'text' },
    ...fields.map((field): FileColumn => ({
      name: flatFieldName(group, field.name),
      title: field.title,
      kind: field.kind === 'instant' ? 'instant' : 'text',
    })),
  ]
}

function hasIntegerIds(group: GroupingName): boolean {
  return isTimeGrouping(group) || group === 'nativeCode'
}
