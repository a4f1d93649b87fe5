import type { MetricName } from '../../../schema/metrics.ts'
import type { MetricSelection } from '../../data/production.ts'
import { usePolled } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { cycleTime } from '../../reports/cycle-time.ts'
import { ruleOf } from '../../reports/period-picker.tsx'
import { useLocale } from '../../texts/locale.ts'
import { shopDate } from '../../time/shop-date.ts'
import { Failure } from '../../ui/notice.tsx'
import { type Level, levelOf } from '../floor/level.ts'

const metrics = [
  'oee',
  'oeeWarningThreshold',
  'oeeFailureThreshold',
  'availability',
  'performance',
  'quality',
  'goodParts',
  'partsGoal',
  'rejectedParts',
  'averagePartsPerHour',
  'expectedPartsPerHour',
  'scheduledTimeInCycle',
  'scheduledTotalParts',
  'idealPartTime',
] as const satisfies readonly MetricName[]

const everyMs = 15_000

/** Metrics of a machine on the current shop day, each with the value that it is compared with. */
export function Today({ machineId }: { readonly machineId: string }) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const { value, error, reload } = usePolled(everyMs, async () => {
    const day = shopDate(client.now(), ruleOf(viewer))
    const { aggregate } = await client.call('POST /reports/production', {
      body: { startDay: day, endDay: day, data: metrics, filter: { machine: [machineId] }, flatten: true },
    })
    return { day, today: aggregate }
  }, [viewer, machineId])
  const words = t.machine.today
  const { figures, hints, levels } = t.floor
  const today: MetricSelection = value?.today ?? {}
  const level = levelOf(today.oee, today.oeeWarningThreshold, today.oeeFailureThreshold)
  const shown: readonly FigureProps[] = [
    { name: figures.oee, value: format.percent(today.oee), hint: level === 'none' ? hints.oee : levels[level], level },
    { name: figures.availability, value: format.percent(today.availability), hint: hints.availability },
    { name: figures.performance, value: format.percent(today.performance), hint: hints.performance },
    { name: figures.quality, value: format.percent(today.quality), hint: hints.quality },
    {
      name: figures.goodParts,
      value: format.count(today.goodParts),
      hint: [
        ...(typeof today.partsGoal === 'number' ? [t.floor.goal(format.percent(today.partsGoal, 0))] : []),
        words.rejected(format.count(today.rejectedParts)),
      ].join(' · '),
    },
    {
      name: words.perHour,
      value: format.number(today.averagePartsPerHour, 1),
      hint: compared(today.expectedPartsPerHour, rate => words.target(format.number(rate, 1)), levels.none),
    },
    {
      name: words.cycle,
      value: cycleTime(cycleMs(today), format),
      hint: compared(today.idealPartTime, time => words.ideal(cycleTime(time, format)), words.noIdeal),
    },
  ]
  return (
    <section class="stack" aria-labelledby="today-title">
      <div class="section-head">
        <h2 id="today-title">{t.reports.periods.today}</h2>
        {value !== null && <span class="hint">{format.date(value.day)}</span>}
      </div>
      <dl class="figures machine-figures" aria-busy={value === null && error === null}>
        {shown.map(each => (
          <Figure key={each.name} {...each} isLoading={value === null && error === null} />
        ))}
      </dl>
      <Failure error={error} onRetry={reload} />
    </section>
  )
}

function compared(limit: number | null | undefined, text: (limit: number) => string, none: string): string {
  return typeof limit === 'number' ? text(limit) : none
}

/** Average time in cycle for a part, ms; null without parts. */
function cycleMs({ scheduledTimeInCycle, scheduledTotalParts }: MetricSelection): number | null {
  if (typeof scheduledTimeInCycle !== 'number' || typeof scheduledTotalParts !== 'number') return null
  return scheduledTotalParts > 0 ? scheduledTimeInCycle / scheduledTotalParts : null
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly hint: string
  readonly level?: Level
}

function Figure({ name, value, hint, level, isLoading }: FigureProps & { readonly isLoading: boolean }) {
  return (
    <div class="figure" data-level={level}>
      <dt>{name}</dt>
      <dd class="value">{isLoading ? <span class="placeholder" /> : value}</dd>
      <dd class="hint">{isLoading ? '' : hint}</dd>
    </div>
  )
}
