import type { MetricName } from '../../../schema/metrics.ts'
import { amount } from '../../reports/amount.ts'
import type { Locale } from '../../texts/locale.ts'
import { unitOf } from '../../texts/metrics.ts'
import type { ChartOptions } from '../../ui/chart.tsx'
import type { Colors } from '../../ui/use-colors.ts'

interface Frame {
  readonly metric: MetricName
  /** Number of places from left to right. */
  readonly places: number
  /** Room beside the first and the last index, in places. */
  readonly margin: number
  readonly labelAt: (index: number) => string
  readonly colors: Colors
  readonly locale: Locale
}

/** Scales and axes of a chart of one metric: places from left to right, the metric from 0 up. */
export function metricFrame({ metric, places, margin, labelAt, colors, locale }: Frame) {
  const unit = unitOf(metric)
  const axis = { stroke: colors.soft, font: '12px system-ui, sans-serif', ticks: { show: false } } as const
  const frame: Pick<ChartOptions, 'legend' | 'scales' | 'axes'> = {
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [-margin, places - 1 + margin] },
      y: {
        range: (_, least, most) => [Math.min(0, least ?? 0), Math.max(most ?? 0, unit === 'ratio' ? 0.1 : 1) * 1.06],
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 90,
        size: 32,
        incrs: [1, 2, 3, 4, 6, 7, 12, 24, 48],
        values: (_, at) => at.map(labelAt),
      },
      {
        ...axis,
        grid: { stroke: colors.line, width: 1 },
        size: 84,
        values: (_, at) => at.map(value => amount(value, unit, locale)),
      },
    ],
  }
  return frame
}
