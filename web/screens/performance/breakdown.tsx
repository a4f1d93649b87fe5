import { useState } from 'preact/hooks'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import type { MetricName } from '../../../schema/metrics.ts'
import { idIn, nameIn } from '../../data/production.ts'
import { useQuery } from '../../router/router.ts'
import { useLocale } from '../../texts/locale.ts'
import { metricText } from '../../texts/metrics.ts'
import { Delta } from './delta.tsx'
import { BarOfMetric, greatestOf, MoreRows, OtherFigures, type Row, shownFirst } from './metric-cells.tsx'
import { type PerformanceData, tableMetrics } from './performance-data.ts'
import { stepInto, type View } from './view.ts'

interface BreakdownProps {
  readonly data: PerformanceData
  readonly view: View
  readonly days: number
}

type Order = MetricName | 'name'

/** The metric of each group as bars in a table, beside the other figures; a name looks closer. */
export function Breakdown({ data, view, days }: BreakdownProps) {
  const { t, language } = useLocale()
  const [order, setOrder] = useState<{ readonly by: Order; readonly isUp: boolean }>({ by: view.metric, isUp: false })
  const [isWhole, setWhole] = useState(false)
  const by = order.by === 'name' || tableMetrics(view).includes(order.by) ? order.by : view.metric
  const rows = sorted(data.groups.items, view, by, order.isUp)
  const shown = isWhole ? rows : rows.slice(0, shownFirst)
  const grouping = t.reports.groupings[view.by]
  const others = tableMetrics(view).slice(1)
  const { title } = metricText(view.metric, language)
  const before = new Map(data.groupsBefore.items.map(row => [idIn(row, view.by), row]))
  const greatest = greatestOf(rows, view.metric)
  const head = (name: Order, text: string) => (
    <th scope="col" aria-sort={by === name ? (order.isUp ? 'ascending' : 'descending') : 'none'}>
      <button
        type="button"
        class="sort-button"
        title={t.performance.sortBy(text)}
        onClick={() => setOrder({ by: name, isUp: by === name ? !order.isUp : name === 'name' })}
      >
        {text}
        <span aria-hidden="true">{by === name ? (order.isUp ? ' ▲' : ' ▼') : ''}</span>
      </button>
    </th>
  )
  return (
    <div class="stack">
      <h2 id="breakdown-title">{t.performance.breakdown(grouping)}</h2>
      <div class="table-place" tabIndex={0} role="region" aria-labelledby="breakdown-title">
        <table class="table compact breakdown">
          <thead>
            <tr>
              {head('name', grouping)}
              {head(view.metric, title)}
              <th scope="col">{t.performance.change}</th>
              {others.map(name => head(name, metricText(name, language).title))}
            </tr>
          </thead>
          <tbody>
            {shown.map(row => (
              <tr key={idIn(row, view.by) || 'none'}>
                <th scope="row">
                  <Name row={row} view={view} days={days} />
                </th>
                <BarOfMetric row={row} metric={view.metric} greatest={greatest} />
                <td class="figure-cell" data-label={t.performance.change}>
                  <Delta
                    metric={view.metric}
                    value={row[view.metric]}
                    before={before.get(idIn(row, view.by))?.[view.metric]}
                  />
                </td>
                <OtherFigures row={row} metrics={others} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <MoreRows left={rows.length - shown.length} onMore={() => setWhole(true)} />
    </div>
  )
}

/** Rows in order of a metric or of their names. */
export function sorted(rows: readonly Row[], view: View, by: Order, isUp: boolean): readonly Row[] {
  const sign = isUp ? 1 : -1
  const compare = new Intl.Collator(undefined, { numeric: true }).compare
  return [...rows].sort((a, b) => {
    if (by === 'name') return sign * compare(nameIn(a, view.by), nameIn(b, view.by))
    const [left, right] = [a[by] ?? null, b[by] ?? null]
    // Groups without a value come last, either way.
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1
    return sign * (left - right)
  })
}

/** Name of what a row is of; a button that looks closer where there is a closer look. */
export function Name({ row, view, days }: { readonly row: Row; readonly view: View; readonly days: number }) {
  const { t } = useLocale()
  const [, change] = useQuery()
  const id = idIn(row, view.by)
  const isNone = id === '' || id === 'none'
  const absent: Readonly<Record<string, string>> = t.reports.absent
  const name = isNone ? (absent[view.by] ?? nameIn(row, view.by)) : nameIn(row, view.by)
  const step = isTimeGrouping(view.by) ? null : stepInto(view, view.by, { id: id || 'none', from: '', to: '' }, days)
  if (step === null) return <>{name}</>
  return (
    <button
      type="button"
      class="link-button"
      title={t.performance.drill(name)}
      onClick={() => change(step, { isStep: true })}
    >
      {name}
    </button>
  )
}
