import { type EventSum, eventMetrics, type EventMetric, type EventMetricName } from '../../../schema/event-metrics.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { FileColumn, ColumnKind } from '../../files/table.ts'
import type { Folded } from '../fold/fold.ts'
import type { GroupValues } from './present.ts'

export type EventReportName = keyof typeof eventMetrics
export type EventValue = number | string | null

/** Pure: values of groups in a report of events; instants as ISO strings, null over nothing; a percentile of nothing is null. */
export function eventValues(
  report: EventReportName,
  { sums }: Folded<EventSum>,
  names: readonly EventMetricName[],
): GroupValues<EventValue> {
  const columns = names.map(name => {
    const { sum, unit } = valueOf(report, name)
    return { values: sums.get(sum) ?? new Float64Array(), isInstant: unit === 'instant' }
  })
  return {
    names,
    valueAt(group, index) {
      const column = columns[index]
      const value = column?.values[group] ?? 0
      if (!column?.isInstant) return Number.isNaN(value) ? null : value
      return Number.isFinite(value) ? isoText(value) : null
    },
    isShown: () => true,
  }
}

/** Their columns in a report's file. */
export function eventColumns(report: EventReportName, names: readonly EventMetricName[]): readonly FileColumn[] {
  return names.map(name => {
    const { title, unit } = valueOf(report, name)
    return { name, title, kind: kinds[unit] }
  })
}

function valueOf(report: EventReportName, name: EventMetricName): EventMetric {
  const known: Readonly<Partial<Record<EventMetricName, EventMetric>>> = eventMetrics[report]
  const value = known[name]
  if (!value) throw new Error(`invariant: a report of ${report} has ${name}`)
  return value
}

const kinds: Readonly<Record<EventMetric['unit'], ColumnKind>> = {
  ms: 'ms',
  parts: 'integer',
  records: 'integer',
  machines: 'integer',
  instant: 'instant',
}
