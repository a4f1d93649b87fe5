import { useState } from 'preact/hooks'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import { type FlatProduction, idIn } from '../../data/production.ts'
import { More } from '../../reports/more.tsx'
import { useLocale } from '../../texts/locale.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { Name, sorted } from './breakdown.tsx'
import { labelOf } from './labels.ts'
import { barColumn, figureColumn, greatestOf, type Row, shownFirst } from './metric-cells.tsx'
import { NestedChart } from './nested-chart.tsx'
import { type PerformanceData, tableMetrics } from './performance-data.ts'
import type { ProductionGrouping, View } from './view.ts'

interface NestedProps {
  readonly data: PerformanceData
  readonly nested: FlatProduction
  readonly view: View
  readonly within: ProductionGrouping
}

/** Groups within groups as a table, and as lines where one of both is time. The groups come in the order of their metric. */
export function Nested({ data, nested, view, within }: NestedProps) {
  const locale = useLocale()
  const { t } = locale
  const [isWhole, setWhole] = useState(false)
  const { by, metric } = view
  const rows = inOrder(data, nested, view)
  const shown = isWhole ? rows : rows.slice(0, shownFirst)
  const groupings = t.reports.groupings
  const columns: readonly Column<Row>[] = [
    {
      title: groupings[by],
      cell: row =>
        isTimeGrouping(by) ? labelOf(row, by, locale) : <Name row={row} view={view} days={data.range.days} />,
    },
    { title: groupings[within], cell: row => labelOf(row, within, locale) },
    barColumn(metric, greatestOf(rows, metric), locale),
    ...tableMetrics(view)
      .slice(1)
      .map(name => figureColumn(name, locale)),
  ]
  return (
    <div class="stack">
      <h2 id="breakdown-title">{t.performance.nested(groupings[by], groupings[within])}</h2>
      <NestedChart rows={rows} view={view} within={within} />
      <div class="table-place" tabIndex={0} role="region" aria-labelledby="breakdown-title">
        <Table
          look="compact breakdown nested"
          columns={columns}
          rows={shown}
          keyOf={row => `${idIn(row, by)} ${idIn(row, within)}`}
        />
      </div>
      <More left={rows.length - shown.length} onMore={() => setWhole(true)} />
    </div>
  )
}

/** Rows in the order of their outer groups: by metric, or by time; within a group in the order of the report. */
function inOrder(data: PerformanceData, nested: FlatProduction, view: View): readonly Row[] {
  const outer = isTimeGrouping(view.by) ? data.groups.items : sorted(data.groups.items, view, view.metric, false)
  const places = new Map(outer.map((row, index) => [idIn(row, view.by), index]))
  const index = (row: Row) => places.get(idIn(row, view.by)) ?? outer.length
  return nested.items.toSorted((a, b) => index(a) - index(b))
}
