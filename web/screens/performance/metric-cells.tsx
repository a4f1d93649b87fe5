import type { MetricName } from '../../../schema/metrics.ts'
import type { FlatNames, MetricSelection } from '../../data/production.ts'
import { amount } from '../../reports/amount.ts'
import type { Locale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import type { Column } from '../../ui/table.tsx'
import { levelOf } from '../floor/level.ts'
import { findThresholds } from './view.ts'

/** A group of the report, with its metrics. */
export type Row = MetricSelection & FlatNames

/** Number of rows that are shown at first. */
export const shownFirst = 60

/** The value that fills a bar: the greatest of the rows; of a ratio at least 1. */
export function greatestOf(rows: readonly Row[], metric: MetricName): number {
  return Math.max(...rows.map(row => row[metric] ?? 0), unitOf(metric) === 'ratio' ? 1 : 0)
}

/** Column of a metric with its bar, of which `greatest` is the full length. */
export function barColumn(metric: MetricName, greatest: number, locale: Locale): Column<Row> {
  const limits = findThresholds(metric)
  return {
    title: metricText(metric, locale.language).title,
    cell: row => (
      <BarCell
        text={amount(row[metric], unitOf(metric), locale)}
        share={(row[metric] ?? 0) / (greatest || 1)}
        level={limits ? levelOf(row[metric], row[limits[0]], row[limits[1]]) : 'none'}
        marks={(limits ?? []).map(limit => (row[limit] ?? NaN) / (greatest || 1))}
      />
    ),
  }
}

/** Column of the value of a metric. */
export function figureColumn(metric: MetricName, locale: Locale): Column<Row> {
  return {
    title: metricText(metric, locale.language).title,
    class: 'figure-cell',
    cell: row => amount(row[metric], unitOf(metric), locale),
  }
}

interface BarCellProps {
  readonly text: string
  readonly share: number
  readonly level: string
  /** Places of warning and failure; NaN: there is no such threshold. */
  readonly marks: readonly number[]
}

function BarCell({ text, share, level, marks }: BarCellProps) {
  const percent = (part: number) => `${Math.max(0, Math.min(100, 100 * part))}%`
  return (
    <span class="bar-cell">
      <span class="bar-cell-value">{text}</span>
      <span class="bar-cell-track" aria-hidden="true">
        <span class="bar-cell-body" data-level={level} style={{ width: percent(share) }} />
        {marks.map(
          (mark, i) =>
            !Number.isNaN(mark) && (
              <span
                key={i}
                class="bar-cell-mark"
                data-level={i === 0 ? 'warning' : 'failure'}
                style={{ left: percent(mark) }}
              />
            ),
        )}
      </span>
    </span>
  )
}
