import { useMemo } from 'preact/hooks'
import type uPlot from 'uplot'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import { idIn, textOf } from '../../data/production.ts'
import { type Locale, useLocale } from '../../texts/locale.ts'
import { metricText } from '../../texts/metrics.ts'
import { Chart, type ChartOptions } from '../../ui/chart.tsx'
import { type Colors, useColors } from '../../ui/use-colors.ts'
import { labelOf } from './labels.ts'
import type { Row } from './metric-cells.tsx'
import { metricFrame } from './metric-frame.ts'
import type { ProductionGrouping, View } from './view.ts'

/** Each differs from both themes' cards by a contrast of 3. */
const lineColors = ['#2f7ed8', '#b06a00', '#8a63d2', '#1f8a70', '#c2407a', '#6b7785'] as const

interface Line {
  readonly name: string
  readonly values: readonly (number | null)[]
}

interface Lines {
  readonly labels: readonly string[]
  readonly lines: readonly Line[]
  readonly left: number
}

interface NestedChartProps {
  readonly rows: readonly Row[]
  readonly view: View
  readonly within: ProductionGrouping
}

/** A metric over time, a line for each of the first groups; nothing where neither grouping is time. */
export function NestedChart({ rows, view, within }: NestedChartProps) {
  const locale = useLocale()
  const colors = useColors()
  const { t, format, language } = locale
  const lines = useMemo(() => buildLines(rows, view, within, locale), [rows, locale])
  const options = useMemo(
    () => lines && optionsOf(lines.lines.length, lines.labels, view, colors, locale),
    [lines, colors, locale],
  )
  if (lines === null || options === null) return null
  const data: uPlot.AlignedData = [lines.labels.map((_, i) => i), ...lines.lines.map(({ values }) => [...values])]
  return (
    <div class="card stack">
      <p class="legend nested-legend">
        {lines.lines.map(({ name }, i) => (
          <span key={name} style={{ color: lineColors[i] }}>
            <span class="nested-name">{name}</span>
          </span>
        ))}
        {lines.left > 0 && <span class="nested-left">{t.performance.linesLeft(format.count(lines.left))}</span>}
      </p>
      <Chart
        label={t.performance.trendLabel(metricText(view.metric, language).title)}
        data={data}
        options={options}
        heightPx={240}
      />
    </div>
  )
}

function buildLines(
  rows: readonly Row[],
  { by, metric }: View,
  within: ProductionGrouping,
  locale: Locale,
): Lines | null {
  const time = isTimeGrouping(by) ? by : within
  const of = time === by ? within : by
  if (!isTimeGrouping(time) || isTimeGrouping(of)) return null
  const starts = [...new Set(rows.map(row => textOf(row, `${time}Start`)))].sort()
  const places = new Map(starts.map((start, i) => [start, i]))
  const labels = starts.map(start => {
    const row = rows.find(each => textOf(each, `${time}Start`) === start)
    return row ? labelOf(row, time, locale) : ''
  })
  const found = new Map<string, { readonly name: string; readonly values: (number | null)[] }>()
  for (const row of rows) {
    const id = idIn(row, of)
    const line = found.get(id) ?? { name: labelOf(row, of, locale), values: starts.map(() => null) }
    found.set(id, line)
    line.values[places.get(textOf(row, `${time}Start`)) ?? 0] = row[metric] ?? null
  }
  const lines = [...found.values()]
  return { labels, lines: lines.slice(0, lineColors.length), left: Math.max(0, lines.length - lineColors.length) }
}

function optionsOf(
  lines: number,
  labels: readonly string[],
  { metric }: View,
  colors: Colors,
  locale: Locale,
): ChartOptions {
  return {
    ...metricFrame({
      metric,
      places: labels.length,
      margin: 0.4,
      labelAt: index => (labels[index] ?? '').replace(/,? \d{4}$/, ''),
      colors,
      locale,
    }),
    cursor: { show: false },
    series: [
      {},
      ...Array.from({ length: lines }, (_, i) => ({
        stroke: lineColors[i] ?? colors.text,
        width: 2,
        points: { show: labels.length <= 40, size: 5 },
        spanGaps: false,
      })),
    ],
  }
}
