import type { CycleTimesResponse } from '../../../schema/requests/cycle-times.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { cycleTime } from '../../reports/cycle-time.ts'
import { useLocale } from '../../texts/locale.ts'
import type { ReportRange } from '../../time/period.ts'
import { Facts } from '../../ui/facts.tsx'
import { Await } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { barsOf, type HistogramBar } from './histogram.ts'
import type { View } from './view.ts'

interface CycleTimesProps {
  /** Id of the job operation. */
  readonly jobOperation: string
  readonly view: View
  readonly range: ReportRange
}

/** Median, spread and histogram of the cycle times of a job operation, beside its standard. */
export function CycleTimes({ jobOperation, view, range }: CycleTimesProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const { jobOperation: _, ...filter } = view.filter
  const body = { ...range, jobOperation, filter }
  const key = JSON.stringify(body)
  const loaded = useLoad(
    async () => ({ key, times: await client.call('POST /reports/cycle-times', { body }) }),
    [client, key],
  )
  const words = t.performance.cycleTimes
  return (
    <section class="card" aria-labelledby="cycle-times-title">
      <h2 id="cycle-times-title">{words.title}</h2>
      <p class="hint">{words.intro}</p>
      <Await loaded={loaded}>
        {({ key: of, times }) => (
          <div class="stack" data-stale={of !== key} aria-busy={of !== key}>
            {times.cycleCount === 0 ? <p>{words.none}</p> : <Distribution times={times} />}
          </div>
        )}
      </Await>
    </section>
  )
}

function Distribution({ times }: { readonly times: CycleTimesResponse }) {
  const { t, format } = useLocale()
  const words = t.performance.cycleTimes
  const { cycleCount, medianMs, p10Ms, p90Ms, standardMs, aboveStandardCount, shorterCount, longerCount } = times
  const above = standardMs === null ? null : format.percent(aboveStandardCount / cycleCount, 0)
  const outside = shorterCount + longerCount
  return (
    <>
      <Facts
        facts={[
          [words.median, cycleTime(medianMs, format)],
          [words.spread, `${cycleTime(p10Ms, format)} – ${cycleTime(p90Ms, format)}`],
          [words.standard, standardMs === null ? words.noStandard : cycleTime(standardMs, format)],
          [words.above, above],
          [words.count, format.count(cycleCount)],
        ]}
      />
      <Histogram times={times} />
      {outside > 0 && <p class="hint">{words.outside(format.count(shorterCount), format.count(longerCount))}</p>}
    </>
  )
}

function Histogram({ times }: { readonly times: CycleTimesResponse }) {
  const { t, format } = useLocale()
  const words = t.performance.cycleTimes
  const { bars, greatestCount, ticks, standardShare } = barsOf(times)
  const nameOf = ({ fromMs, toMs }: HistogramBar) => `${cycleTime(fromMs, format)} – ${cycleTime(toMs, format)}`
  return (
    <>
      {standardShare !== null && (
        <p class="legend">
          <span data-line="now">{words.upToStandard}</span>
          <span data-line="above">{words.above}</span>
          <span>
            {words.standard}: {cycleTime(times.standardMs, format)}
          </span>
        </p>
      )}
      <div class="histogram" role="img" aria-label={words.histogram}>
        <div class="histogram-counts">
          <span>{format.count(greatestCount)}</span>
          <span>{format.count(0)}</span>
        </div>
        <div class="histogram-bars">
          {bars.map(bar => (
            <span
              key={bar.fromMs}
              class="histogram-bin"
              data-above={bar.isAboveStandard}
              title={`${nameOf(bar)}: ${words.cycles(format.count(bar.cycleCount))}`}
            >
              <span class="histogram-bar" style={{ height: `${100 * bar.share}%` }} />
            </span>
          ))}
          {standardShare !== null && <span class="histogram-standard" style={{ left: `${100 * standardShare}%` }} />}
        </div>
        <div class="histogram-axis">
          {ticks.map(({ ms, share }) => (
            <span key={ms} style={{ left: `${100 * share}%` }}>
              {cycleTime(ms, format)}
            </span>
          ))}
        </div>
      </div>
      <details class="inline">
        <summary>{t.performance.asTable}</summary>
        <Table
          look="compact"
          columns={[
            { title: words.length, cell: nameOf },
            { title: words.count, class: 'figure-cell', cell: ({ cycleCount }) => format.count(cycleCount) },
          ]}
          rows={bars}
          keyOf={({ fromMs }) => fromMs}
        />
      </details>
    </>
  )
}
