import { useMemo } from 'preact/hooks'
import type { MetricValues } from '../../../schema/requests/machine-timeline.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { aheadIn } from '../../time/wall-time.ts'
import { Chart, type ChartOptions } from '../../ui/chart.tsx'
import { useColors } from '../../ui/use-colors.ts'
import { metricName, metricUnit } from './metric-name.ts'
import { tickTexts } from './timeline.tsx'
import { ticksOf, type TimeWindow } from './time-window.ts'

interface MetricProps {
  readonly values: MetricValues
  readonly window: TimeWindow
  /** Width of the names of the lanes above, px. */
  readonly namesPx: number
}

/** A metric over the time of the lanes: its mean, and the band from the least to the greatest value. */
export function MetricChart({ values, window: shown, namesPx }: MetricProps) {
  const { t, format, region } = useLocale()
  const { company } = useViewer()
  const colors = useColors()
  const data = useMemo(() => {
    const times = values.values.map(({ at }) => Date.parse(at) / 1000)
    const column = (name: 'mean' | 'least' | 'greatest') => values.values.map(value => value[name])
    return [times, column('mean'), column('least'), column('greatest')] as [number[], number[], number[], number[]]
  }, [values])
  const options = useMemo((): ChartOptions => {
    const text = tickTexts(region, company.timeZone)
    const axis = { stroke: colors.soft, grid: { stroke: colors.line, width: 1 }, ticks: { show: false } }
    const splits = (most: number) => ticksOf(shown, most, aheadIn(company.timeZone))
    const ticks = splits(Math.max(2, Math.floor((innerWidth - 500) / 110)))
    return {
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 0, 0, 0],
      scales: { x: { time: true, range: () => [shown.fromMs / 1000, shown.toMs / 1000] } },
      axes: [
        {
          ...axis,
          size: 26,
          splits: () => ticks.ticks.map(ms => ms / 1000),
          values: (_, at) => at.map(second => text(second * 1000, ticks.stepMs)),
        },
        {
          ...axis,
          size: namesPx,
          space: 28,
          values: (_, at) => at.map(value => format.number(value, value % 1 === 0 ? 0 : 2)),
        },
      ],
      bands: [{ series: [3, 2], fill: `${colors.accent}33` }],
      series: [
        {},
        { stroke: colors.accent, width: 1.5, points: { show: false } },
        { stroke: 'transparent', width: 0, points: { show: false } },
        { stroke: 'transparent', width: 0, points: { show: false } },
      ],
    }
  }, [colors, region, company.timeZone, shown.fromMs, shown.toMs, namesPx])
  const all = values.values
  const least = all.reduce((found, value) => Math.min(found, value.least), Infinity)
  const greatest = all.reduce((found, value) => Math.max(found, value.greatest), -Infinity)
  const name = metricName(values)
  const digits = Number.isInteger(least) && Number.isInteger(greatest) ? 0 : 1
  const between = t.machine.between(format.number(least, digits), format.number(greatest, digits))
  const range = all.length === 0 ? t.none : `${between} ${metricUnit(values)}`.trimEnd()
  return (
    <figure class="metric">
      <figcaption>
        <strong>{name}</strong> <span class="metric-key">{values.key}</span> <span class="hint">{range}</span>
      </figcaption>
      {all.length === 0 ? (
        <p class="hint">{t.machine.noValues}</p>
      ) : (
        <Chart label={`${name} (${values.key}): ${range}`} data={data} options={options} heightPx={120} />
      )}
    </figure>
  )
}
