import { type GroupingName, groupings, isTimeGrouping } from '../../schema/groupings.ts'
import { type MetricName, metrics, type Unit } from '../../schema/metrics.ts'
import type { Column, ColumnKind, Row, Table } from './table.ts'

/** The table of a report's flattened rows: the columns of its groupings, then its values, each in the order asked for. */
export function reportTable(groupBy: readonly GroupingName[], values: readonly Column[], rows: Iterable<Row>): Table {
  return { columns: [...groupBy.flatMap(groupColumns), ...values], rows }
}

/** The columns of production metrics. */
export function metricColumns(names: readonly MetricName[]): readonly Column[] {
  return names.map(name => ({ name, title: metrics[name].title, kind: kindOfUnit[metrics[name].unit] }))
}

export const kindOfUnit: Readonly<Record<Unit, ColumnKind>> = {
  ms: 'ms',
  parts: 'number',
  ratio: 'ratio',
  'parts/h': 'number',
  'ms/part': 'msPerPart',
  instant: 'instant',
}

/** The columns that name a level of grouping. */
export function groupColumns(group: GroupingName): readonly Column[] {
  const { title } = groupings[group]
  const id: Column = { name: `${group}Id`, title: `${title} id`, kind: 'text' }
  if (!isTimeGrouping(group)) return [{ name: group, title, kind: 'text' }, id]
  return [
    { name: group, title, kind: group === 'hour' ? 'instant' : 'date' },
    id,
    { name: `${group}Start`, title: `${title} start`, kind: 'instant' },
    { name: `${group}End`, title: `${title} end`, kind: 'instant' },
  ]
}
