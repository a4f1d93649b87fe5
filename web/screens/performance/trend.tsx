import { useMemo, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { MetricName } from '../../../schema/metrics.ts'
import { type FlatProduction, type MetricSelection, textOf } from '../../data/production.ts'
import { useViewer } from '../../data/viewer.ts'
import { amount } from '../../reports/amount.ts'
import { ruleOf } from '../../reports/period-picker.tsx'
import { useQuery } from '../../router/router.tsx'
import { type Locale, useLocale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import { shopDate } from '../../time/shop-date.ts'
import { wallTime } from '../../time/wall-time.ts'
import { Button } from '../../ui/button.tsx'
import { Chart, type ChartOptions } from '../../ui/chart.tsx'
import { Table } from '../../ui/table.tsx'
import { type Colors, useColors } from '../../ui/use-colors.ts'
import { Delta } from './delta.tsx'
import { drawLimits } from './draw-limits.ts'
import { metricFrame } from './metric-frame.ts'
import type { Overview } from './performance-data.ts'
import { bucketOf, stepInto, findThresholds, type View } from './view.ts'

interface TrendProps {
  readonly data: Overview
  readonly view: View
  readonly onExplain: (metric: MetricName) => void
}

interface Point {
  readonly id: string
  readonly startMs: number
  readonly endMs: number
  readonly label: string
  readonly value: number | null
  readonly before: number | null
}

/** A metric over time beside that of the range before, with its thresholds; a click or a link looks closer. */
export function Trend({ data, view, onExplain }: TrendProps) {
  const locale = useLocale()
  const { t, language } = locale
  const viewer = useViewer()
  const colors = useColors()
  const [, change] = useQuery()
  const [shown, setShown] = useState<number | null>(null)
  const { metric } = view
  const bucket = bucketOf(view.by, data.range.days)
  const limits = findThresholds(metric)
  const points = useMemo(() => pointsOf(data, metric, bucket, locale), [data.key, data, locale])
  const series = useMemo(() => seriesOf(points, data.trend, limits), [points])
  const closer = (point: Point) => {
    const isHour = bucket === 'hour'
    const rule = ruleOf(viewer)
    const at = (ms: number) => (isHour ? wallTime(ms, rule.timeZone) : shopDate(ms, rule))
    // The last day of the bucket is that of its last moment.
    const row = { id: point.id, from: at(point.startMs), to: at(isHour ? point.endMs : point.endMs - 1) }
    const step = stepInto(view, bucket, row, data.range.days)
    if (step) change(step, { isStep: true })
  }
  const options = useMemo(
    () => optionsOf({ colors, locale, metric, points, hasLimits: limits !== null, onShow: setShown, onChoose: closer }),
    [colors, locale, metric, points],
  )
  const point = shown === null ? null : (points[shown] ?? null)
  const { title } = metricText(metric, language)
  const before = view.against === null ? t.performance.before : t.performance.compared
  return (
    <section class="card" aria-labelledby="trend-title">
      <div class="page-head">
        <h2 id="trend-title">{t.performance.trendOf(title)}</h2>
        <Button look="quiet" icon="info" text={t.performance.explain} onClick={() => onExplain(metric)} />
      </div>
      <Note point={point} metric={metric} limits={limits} total={data.trend.aggregate} before={before} />
      <Chart label={t.performance.trendLabel(title)} data={series} options={options} heightPx={260} />
      <PointTable points={points} metric={metric} bucket={bucket} before={before} onChoose={closer} />
    </section>
  )
}

interface NoteProps {
  readonly point: Point | null
  readonly metric: MetricName
  readonly limits: ReturnType<typeof findThresholds>
  readonly total: MetricSelection
  /** Name of the range that is compared with. */
  readonly before: string
}

/** Shows the values of a point, or the legend of the lines. */
function Note({ point, metric, limits, total, before }: NoteProps) {
  const locale = useLocale()
  const { t } = locale
  const unit = unitOf(metric)
  return (
    <p class="trend-note">
      {point ? (
        <>
          <strong>{point.label}</strong> {amount(point.value, unit, locale)}{' '}
          <span class="hint">{t.performance.earlier(amount(point.before, unit, locale))}</span>
        </>
      ) : (
        <span class="legend">
          <span data-line="now">{t.performance.now}</span>
          <span data-line="before">{before}</span>
          {limits && (
            <>
              <span data-line="warning">
                {t.performance.warning} {amount(total[limits[0]], 'ratio', locale)}
              </span>
              <span data-line="failure">
                {t.performance.failure} {amount(total[limits[1]], 'ratio', locale)}
              </span>
            </>
          )}
        </span>
      )}
    </p>
  )
}

interface PointTableProps {
  readonly points: readonly Point[]
  readonly metric: MetricName
  readonly bucket: ReturnType<typeof bucketOf>
  /** Name of the range that is compared with. */
  readonly before: string
  readonly onChoose: (point: Point) => void
}

function PointTable({ points, metric, bucket, before: beforeTitle, onChoose }: PointTableProps) {
  const locale = useLocale()
  const { t, language } = locale
  const unit = unitOf(metric)
  const { title } = metricText(metric, language)
  return (
    <details class="inline">
      <summary>{t.performance.asTable}</summary>
      <Table
        look="compact"
        columns={[
          {
            title: t.reports.groupings[bucket],
            cell: point => (
              <Button
                look="link"
                text={point.label}
                title={t.performance.drill(point.label)}
                onClick={() => onChoose(point)}
              />
            ),
          },
          { title, class: 'figure-cell', cell: ({ value }) => amount(value, unit, locale) },
          { title: beforeTitle, class: 'figure-cell', cell: ({ before }) => amount(before, unit, locale) },
          {
            title: t.performance.change,
            class: 'figure-cell',
            cell: ({ value, before }) => <Delta metric={metric} value={value} before={before} />,
          },
        ]}
        rows={points}
        keyOf={({ id }) => id}
      />
    </details>
  )
}

function pointsOf(
  { trend, trendBefore }: Overview,
  metric: MetricName,
  bucket: string,
  { format }: Locale,
): readonly Point[] {
  // Ids count the buckets from the range's first on, also those without any time.
  const earlier = new Map(trendBefore.items.map(row => [textOf(row, `${bucket}Id`), row]))
  return trend.items.map(row => {
    const startMs = Date.parse(textOf(row, `${bucket}Start`))
    const date = textOf(row, bucket).slice(0, 10)
    const last = earlier.get(textOf(row, `${bucket}Id`))
    return {
      id: textOf(row, `${bucket}Id`),
      startMs,
      endMs: Date.parse(textOf(row, `${bucket}End`)),
      label: bucket === 'hour' ? format.hour(startMs) : format.date(date),
      value: row[metric] ?? null,
      before: last?.[metric] ?? null,
    }
  })
}

function seriesOf(
  points: readonly Point[],
  { items }: FlatProduction,
  limits: ReturnType<typeof findThresholds>,
): uPlot.AlignedData {
  const x = points.map((_, i) => i)
  const lines = (limits ?? []).map(name => items.map(row => row[name] ?? null))
  return [x, points.map(({ value }) => value), points.map(({ before }) => before), ...lines]
}

interface Drawing {
  readonly colors: Colors
  readonly locale: Locale
  readonly metric: MetricName
  readonly points: readonly Point[]
  readonly hasLimits: boolean
  readonly onShow: (index: number | null) => void
  readonly onChoose: (point: Point) => void
}

function optionsOf({ colors, locale, metric, points, hasLimits, onShow, onChoose }: Drawing): ChartOptions {
  const limit = (stroke: string): uPlot.Series => ({
    stroke,
    width: 1.5,
    dash: [2, 4],
    points: { show: false },
    spanGaps: true,
  })
  const { warning, failure } = locale.t.performance
  const limits = [
    { series: 3, name: warning, color: colors.inactive },
    { series: 4, name: failure, color: colors.fault },
  ]
  const textOf = (value: number) => amount(value, unitOf(metric), locale)
  return {
    ...metricFrame({
      metric,
      places: points.length,
      margin: 0.6,
      labelAt: index => shortLabel(points[index], points),
      colors,
      locale,
    }),
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    series: [
      {},
      {
        stroke: colors.accent,
        fill: `${colors.accent}99`,
        width: 1.5,
        points: { show: false },
        ...bars(),
      },
      { stroke: colors.text, width: 2, dash: [5, 4], points: { show: points.length === 1, size: 8 }, spanGaps: false },
      ...(hasLimits ? limits.map(({ color }) => limit(color)) : []),
    ],
    hooks: {
      draw: hasLimits ? [plot => drawLimits(plot, limits, { background: colors.card, textOf })] : [],
      setCursor: [plot => onShow(plot.cursor.idx ?? null)],
      init: [
        plot =>
          plot.over.addEventListener('click', () => {
            const point = points[plot.cursor.idx ?? -1]
            if (point) onChoose(point)
          }),
      ],
    },
  }
}

function bars(): Pick<uPlot.Series, 'paths'> {
  const paths = uPlot.paths.bars?.({ size: [0.7, 64], radius: 0.12 })
  return paths ? { paths } : {}
}

/** A label that fits under a bar: the hour, or day and month. */
function shortLabel(point: Point | undefined, points: readonly Point[]): string {
  if (!point) return ''
  const isHour = point.endMs - point.startMs <= 3_600_000
  const parts = point.label.split(', ')
  if (!isHour) return point.label.replace(/,? \d{4}$/, '')
  return points.length > 26 ? parts.slice(-2).join(' ') : (parts.at(-1) ?? '')
}
