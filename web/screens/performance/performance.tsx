import type { ComponentProps } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { isTimeGrouping, maxHourDates, reportDimensions } from '../../../schema/groupings.ts'
import type { MetricName } from '../../../schema/metrics.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { PeriodPicker, useRange } from '../../reports/period-picker.tsx'
import { ReportHead } from '../../reports/report-head.tsx'
import { ShareButton } from '../../reports/share-dialog.tsx'
import { useTurn } from '../../reports/use-turn.ts'
import { Link, useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Select } from '../../ui/field.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { Breakdown } from './breakdown.tsx'
import { ComparePicker } from './compare-picker.tsx'
import { CycleTimes } from './cycle-times.tsx'
import { ExplainDialog } from './explain-dialog.tsx'
import { Filters } from './filters.tsx'
import { Heads } from './heads.tsx'
import { LossSection } from './loss-section.tsx'
import { MetricSelect } from './metric-select.tsx'
import { loadGroups, loadOverview, type Overview, type PerformanceData, tableRequest } from './performance-data.ts'
import { Nested } from './nested.tsx'
import { Trend } from './trend.tsx'
import { onlyOperation, type View, viewOf } from './view.ts'

/** Until then, figures of a range say little. */
const youngMs = 30 * 60_000

/** The production report of any part of the plant: where time is lost, and how that changes. */
function Performance() {
  const { t } = useLocale()
  const { client } = useViewer()
  const [query, change] = useQuery()
  const view = useMemo(() => viewOf(query), [query])
  const turn = useTurn()
  const period = useRange(view.choice, turn)
  const against = useRange(view.against ?? view.choice, turn)
  // The longer range determines the buckets of the trend: hours of a long one would be cut to its last days.
  const days = Math.max(period.days, against.days)
  const range = view.against === null ? period : { ...period, before: against.range, days }
  const key = JSON.stringify([range, view.by, view.within, view.metric, view.filter])
  const loaded = useLoad(() => loadOverview(client, key, view, range), [client, key])
  const overview = loaded.value
  // The reports of many groups would delay those of the overview.
  const whole = useLoad(async () => (overview === null ? null : loadGroups(client, overview)), [client, overview])
  const [explained, setExplained] = useState<MetricName | null>(null)
  const words = t.performance
  const operation = onlyOperation(view.filter)
  const groupings = reportDimensions.production.groupings.map(value => ({ value, title: t.reports.groupings[value] }))
  return (
    <div class="page">
      <ReportHead title={t.screens.performance} range={overview?.trend.range}>
        <ShareButton endpoint="POST /reports/production" body={tableRequest(view, range)} />
      </ReportHead>
      <div class="stack">
        <div class="report-bar performance-bar">
          <PeriodPicker choice={view.choice} />
          <ComparePicker against={view.against} before={period.before} />
          <Select
            label={words.by}
            value={view.by}
            options={groupings}
            onValue={by => change({ by, ...(by === view.within && { within: null }) })}
          />
          <Select
            label={words.within}
            value={view.within ?? ''}
            options={[{ value: '', title: words.nothingMore }, ...groupings.filter(({ value }) => value !== view.by)]}
            onValue={within => change({ within })}
          />
          <MetricSelect value={view.metric} onValue={metric => change({ metric })} />
        </div>
        <Filters view={view} range={range.range} />
      </div>
      <Await loaded={loaded}>
        {data => (
          <div
            class="report"
            data-stale={data.key !== key || (whole.value !== null && whole.value.key !== key)}
            aria-busy={data.key !== key || whole.value?.key !== key}
          >
            {Date.parse(data.trend.range.end) - Date.parse(data.trend.range.start) < youngMs && (
              <p class="notice">{t.reports.early}</p>
            )}
            {(view.by === 'hour' || view.within === 'hour') && range.days > maxHourDates && (
              <p class="notice">{words.lastDates(String(maxHourDates))}</p>
            )}
            <Content data={data} whole={whole} loss={view.loss} onExplain={setExplained} />
            {operation !== null && <CycleTimes jobOperation={operation} view={view} range={range.range} />}
          </div>
        )}
      </Await>
      {explained && (
        <ExplainDialog metric={explained} view={view} range={range.range} onClose={() => setExplained(null)} />
      )}
    </div>
  )
}

interface ContentProps {
  readonly data: Overview
  /** The reports of the groups are loaded later. */
  readonly whole: ComponentProps<typeof Await<PerformanceData>>['loaded']
  /** The loss that is looked into; null: the biggest. */
  readonly loss: View['loss']
  readonly onExplain: (metric: MetricName) => void
}

function Content({ data, whole, loss, onExplain }: ContentProps) {
  const { t } = useLocale()
  const [, change] = useQuery()
  const view = { ...data.view, loss }
  const hasTime = (data.trend.aggregate.allTime ?? 0) > 0
  if (!hasTime && whole.value === null) return <Await loaded={whole}>{() => null}</Await>
  if (whole.value?.groups.items.length === 0)
    return (
      <Empty text={t.performance.empty}>
        <p>{t.performance.emptyHow}</p>
        <Link to="app/connect" class="button">
          {t.performance.noMachines}
        </Link>
      </Empty>
    )
  return (
    <>
      <Heads data={data} view={view} onMetric={metric => change({ metric })} onExplain={onExplain} />
      <LossSection data={data} machines={whole.value?.machines ?? null} view={view} />
      <Trend data={data} view={view} onExplain={onExplain} />
      <Await loaded={whole}>{loaded => <Groups data={loaded} />}</Await>
    </>
  )
}

function Groups({ data }: { readonly data: PerformanceData }) {
  const { view } = data
  if (view.within !== null && data.nested)
    return <Nested data={data} nested={data.nested} view={view} within={view.within} />
  return isTimeGrouping(view.by) ? null : <Breakdown data={data} view={view} />
}

export { Performance as screen }
