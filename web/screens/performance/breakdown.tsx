import { useState } from 'preact/hooks'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import type { MetricName } from '../../../schema/metrics.ts'
import { type FlatNames, idIn, type MetricValues, nameIn } from '../../data/production.ts'
import { amount } from '../../reports/amount.ts'
import { useQuery } from '../../router/router.ts'
import { useLocale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import { levelOf } from '../floor/level.ts'
import { Delta } from './delta.tsx'
import { type PerformanceData, tableMetrics } from './performance-data.ts'
import { stepInto, thresholdsOf, type View } from './view.ts'

interface BreakdownProps {
  readonly data: PerformanceData
  readonly view: View
  readonly days: number
}

export type Row = MetricValues & FlatNames
type Order = MetricName | 'name'

/** So many rows are shown at first. */
export const shownFirst = 60

/** The metric of each group as bars in a table, beside the other figures; a name looks closer. */
export function Breakdown({ data, view, days }: BreakdownProps) {
  const locale = useLocale()
  const { t, format, language } = locale
  const [order, setOrder] = useState<{ readonly by: Order; readonly isUp: boolean }>({ by: view.metric, isUp: false })
  const [isWhole, setWhole] = useState(false)
  const by = order.by === 'name' || tableMetrics(view).includes(order.by) ? order.by : view.metric
  const rows = sorted(data.groups.items, view, by, order.isUp)
  const shown = isWhole ? rows : rows.slice(0, shownFirst)
  const grouping = t.reports.groupings[view.by]
  const others = tableMetrics(view).slice(1)
  const { title } = metricText(view.metric, language)
  const limits = thresholdsOf(view.metric)
  const before = new Map(data.groupsBefore.items.map(row => [idIn(row, view.by), row]))
  const greatest = Math.max(...rows.map(row => row[view.metric] ?? 0), unitOf(view.metric) === 'ratio' ? 1 : 0)
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
                <td data-label={title}>
                  <BarCell
                    text={amount(row[view.metric], unitOf(view.metric), locale)}
                    share={partOf(row[view.metric] ?? 0, greatest)}
                    level={limits ? levelOf(row[view.metric], row[limits[0]], row[limits[1]]) : 'none'}
                    marks={(limits ?? []).map(limit => partOf(row[limit] ?? 0, greatest))}
                  />
                </td>
                <td class="figure-cell" data-label={t.performance.change}>
                  <Delta
                    metric={view.metric}
                    value={row[view.metric]}
                    before={before.get(idIn(row, view.by))?.[view.metric]}
                  />
                </td>
                {others.map(name => (
                  <td key={name} class="figure-cell" data-label={metricText(name, language).title}>
                    {amount(row[name], unitOf(name), locale)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          {t.reports.more(format.count(rows.length - shown.length))}
        </button>
      )}
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

/** The part that a value is of a whole: 0 where the whole is 0. */
export function partOf(value: number, whole: number): number {
  return whole === 0 ? 0 : value / whole
}

interface BarCellProps {
  readonly text: string
  readonly share: number
  readonly level: string
  readonly marks: readonly number[]
}

/** A value over a bar of its share, with marks at its thresholds. */
export function BarCell({ text, share, level, marks }: BarCellProps) {
  const percent = (part: number) => `${Math.max(0, Math.min(100, 100 * part))}%`
  return (
    <span class="bar-cell">
      <span class="bar-cell-value">{text}</span>
      <span class="bar-cell-track" aria-hidden="true">
        <span class="bar-cell-body" data-level={level} style={{ width: percent(share) }} />
        {marks.map((mark, i) => (
          <span
            key={i}
            class="bar-cell-mark"
            data-level={i === 0 ? 'warning' : 'failure'}
            style={{ left: percent(mark) }}
          />
        ))}
      </span>
    </span>
  )
}
