import type { MetricName } from '../../../schema/metrics.ts'
import type { FlatNames, AskedMetrics } from '../../data/production.ts'
import { amount } from '../../reports/amount.ts'
import { useLocale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import { levelOf } from '../floor/level.ts'
import { thresholdsOf } from './view.ts'

/** A group of the report, with its metrics. */
export type Row = AskedMetrics & FlatNames

/** Number of rows that are shown at first. */
export const shownFirst = 60

/** The value that fills a bar: the greatest of the rows; of a ratio at least 1. */
export function greatestOf(rows: readonly Row[], metric: MetricName): number {
  return Math.max(...rows.map(row => row[metric] ?? 0), unitOf(metric) === 'ratio' ? 1 : 0)
}

interface BarOfMetricProps {
  readonly row: Row
  readonly metric: MetricName
  readonly greatest: number
}

/** The metric of a row over its bar. */
export function BarOfMetric({ row, metric, greatest }: BarOfMetricProps) {
  const locale = useLocale()
  const limits = thresholdsOf(metric)
  return (
    <td data-label={metricText(metric, locale.language).title}>
      <BarCell
        text={amount(row[metric], unitOf(metric), locale)}
        share={partOf(row[metric] ?? 0, greatest)}
        level={limits ? levelOf(row[metric], row[limits[0]], row[limits[1]]) : 'none'}
        marks={(limits ?? []).map(limit => partOrNull(row[limit], greatest))}
      />
    </td>
  )
}

/** Other metrics of a row, a cell each. */
export function OtherFigures({ row, metrics }: { readonly row: Row; readonly metrics: readonly MetricName[] }) {
  const locale = useLocale()
  return (
    <>
      {metrics.map(name => (
        <td key={name} class="figure-cell" data-label={metricText(name, locale.language).title}>
          {amount(row[name], unitOf(name), locale)}
        </td>
      ))}
    </>
  )
}

/** Shows the rows that are left out at first. */
export function MoreRows({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  const { t, format } = useLocale()
  if (left === 0) return null
  return (
    <button type="button" class="button quiet" onClick={onMore}>
      {t.reports.more(format.count(left))}
    </button>
  )
}

/** The share of a value in a total: 0 if the total is 0. */
function partOf(value: number, whole: number): number {
  return whole === 0 ? 0 : value / whole
}

/** `partOf` a value that there may be none of. */
function partOrNull(value: number | null | undefined, whole: number): number | null {
  return value === null || value === undefined ? null : partOf(value, whole)
}

interface BarCellProps {
  readonly text: string
  readonly share: number
  readonly level: string
  /** Places of warning and failure; null: there is no such threshold. */
  readonly marks: readonly (number | null)[]
}

/** A value over a bar of its share, with marks at its thresholds. */
function BarCell({ text, share, level, marks }: BarCellProps) {
  const percent = (part: number) => `${Math.max(0, Math.min(100, 100 * part))}%`
  return (
    <span class="bar-cell">
      <span class="bar-cell-value">{text}</span>
      <span class="bar-cell-track" aria-hidden="true">
        <span class="bar-cell-body" data-level={level} style={{ width: percent(share) }} />
        {marks.map(
          (mark, i) =>
            mark !== null && (
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
