import { useState } from 'preact/hooks'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import { type FlatProduction, idIn } from '../../data/production.ts'
import { amount } from '../../reports/amount.ts'
import { useLocale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import { levelOf } from '../floor/level.ts'
import { BarCell, Name, partOf, type Row, shownFirst, sorted } from './breakdown.tsx'
import { labelOf } from './labels.ts'
import { NestedChart } from './nested-chart.tsx'
import { type PerformanceData, tableMetrics } from './performance-data.ts'
import { type ProductionGrouping, thresholdsOf, type View } from './view.ts'

interface NestedProps {
  readonly data: PerformanceData
  readonly nested: FlatProduction
  readonly view: View
  readonly within: ProductionGrouping
  readonly days: number
}

/** Groups within groups as a table, and as lines where one of both is time. The groups come in the order of their metric. */
export function Nested({ data, nested, view, within, days }: NestedProps) {
  const locale = useLocale()
  const { t, format, language } = locale
  const [isWhole, setWhole] = useState(false)
  const { by, metric } = view
  const rows = inOrder(data, nested, view)
  const shown = isWhole ? rows : rows.slice(0, shownFirst)
  const limits = thresholdsOf(metric)
  const greatest = Math.max(...rows.map(row => row[metric] ?? 0), unitOf(metric) === 'ratio' ? 1 : 0)
  const { title } = metricText(metric, language)
  const others = tableMetrics(view).slice(1)
  const groupings = t.reports.groupings
  return (
    <div class="stack">
      <h2 id="breakdown-title">{t.performance.nested(groupings[by], groupings[within])}</h2>
      <NestedChart rows={rows} view={view} within={within} />
      <div class="table-place" tabIndex={0} role="region" aria-labelledby="breakdown-title">
        <table class="table compact breakdown nested">
          <thead>
            <tr>
              <th scope="col">{groupings[by]}</th>
              <th scope="col">{groupings[within]}</th>
              <th scope="col">{title}</th>
              {others.map(name => (
                <th key={name} scope="col">
                  {metricText(name, language).title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(row => (
              <tr key={`${idIn(row, by)} ${idIn(row, within)}`}>
                <th scope="row">
                  {isTimeGrouping(by) ? labelOf(row, by, locale) : <Name row={row} view={view} days={days} />}
                </th>
                <td data-label={groupings[within]}>{labelOf(row, within, locale)}</td>
                <td data-label={title}>
                  <BarCell
                    text={amount(row[metric], unitOf(metric), locale)}
                    share={partOf(row[metric] ?? 0, greatest)}
                    level={limits ? levelOf(row[metric], row[limits[0]], row[limits[1]]) : 'none'}
                    marks={(limits ?? []).map(limit => partOf(row[limit] ?? 0, greatest))}
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

/** Rows of the outer groups in the order of their metric (time: as it passes), those within one group as the report has them. */
function inOrder(data: PerformanceData, nested: FlatProduction, view: View): readonly Row[] {
  const outer = isTimeGrouping(view.by) ? data.groups.items : sorted(data.groups.items, view, view.metric, false)
  const places = new Map(outer.map((row, place) => [idIn(row, view.by), place]))
  const place = (row: Row) => places.get(idIn(row, view.by)) ?? outer.length
  return nested.items.toSorted((a, b) => place(a) - place(b))
}
