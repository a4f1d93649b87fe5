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
import { loadPerformance, type PerformanceData, tableRequest } from './performance-data.ts'
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
  const loaded = useLoad(() => loadPerformance(client, key, view, range), [client, key])
  const [explained, setExplained] = useState<MetricName | null>(null)
  const words = t.performance
  const operation = onlyOperation(view.filter)
  const groupings = reportDimensions.production.groupings.map(value => ({ value, title: t.reports.groupings[value] }))
  return (
    <div class="page">
      <ReportHead title={t.screens.performance} range={loaded.value?.groups.range}>
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
          <div class="report" data-stale={data.key !== key} aria-busy={data.key !== key}>
            {Date.parse(data.groups.range.end) - Date.parse(data.groups.range.start) < youngMs && (
              <p class="notice">{t.reports.early}</p>
            )}
            {(view.by === 'hour' || view.within === 'hour') && range.days > maxHourDates && (
              <p class="notice">{words.lastDates(String(maxHourDates))}</p>
            )}
            <Content data={data} view={{ ...data.view, loss: view.loss }} onExplain={setExplained} />
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
  readonly data: PerformanceData
  readonly view: View
  readonly onExplain: (metric: MetricName) => void
}

function Content({ data, view, onExplain }: ContentProps) {
  const { t } = useLocale()
  const [, change] = useQuery()
  if (data.groups.items.length === 0)
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
      <LossSection data={data} view={view} />
      <Trend data={data} view={view} onExplain={onExplain} />
      {view.within !== null && data.nested ? (
        <Nested data={data} nested={data.nested} view={view} within={view.within} />
      ) : (
        !isTimeGrouping(view.by) && <Breakdown data={data} view={view} />
      )}
    </>
  )
}

export { Performance as screen }
