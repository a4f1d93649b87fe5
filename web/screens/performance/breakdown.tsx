import { useState } from 'preact/hooks'
import { isTimeGrouping } from '../../../schema/groupings.ts'
import type { MetricName } from '../../../schema/metrics.ts'
import { idIn, nameIn, shownName } from '../../data/production.ts'
import { More } from '../../reports/more.tsx'
import { amount } from '../../reports/amount.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { unitOf } from '../../texts/metrics.ts'
import { Delta } from './delta.tsx'
import { barColumn, figureColumn, greatestOf, type Row, shownFirst } from './metric-cells.tsx'
import { type PerformanceData, tableMetrics } from './performance-data.ts'
import { stepInto, type View } from './view.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, Table } from '../../ui/table.tsx'

interface BreakdownProps {
  readonly data: PerformanceData
  readonly view: View
}

type Order = MetricName | 'name'

/** The metric of each group as bars in a table, beside the other figures; a name looks closer. */
export function Breakdown({ data, view }: BreakdownProps) {
  const locale = useLocale()
  const { t } = locale
  const [order, setOrder] = useState<{ readonly by: Order; readonly isUp: boolean }>({ by: view.metric, isUp: false })
  const [isWhole, setWhole] = useState(false)
  const by = order.by === 'name' || tableMetrics(view).includes(order.by) ? order.by : view.metric
  const rows = sorted(data.groups.items, view, by, order.isUp)
  const shown = isWhole ? rows : rows.slice(0, shownFirst)
  const grouping = t.reports.groupings[view.by]
  const before = new Map(data.groupsBefore.items.map(row => [idIn(row, view.by), row]))
  const sortable = (name: Order, column: Column<Row>): Column<Row> => ({
    ...column,
    sort: {
      order: by !== name ? 'none' : order.isUp ? 'ascending' : 'descending',
      label: t.performance.sortBy(column.title),
      onClick: () => setOrder({ by: name, isUp: by === name ? !order.isUp : name === 'name' }),
    },
  })
  const previous: Column<Row> = {
    title: view.against === null ? t.performance.before : t.performance.compared,
    class: 'figure-cell',
    cell: row => amount(before.get(idIn(row, view.by))?.[view.metric], unitOf(view.metric), locale),
  }
  const change: Column<Row> = {
    title: t.performance.change,
    class: 'figure-cell',
    cell: row => (
      <Delta metric={view.metric} value={row[view.metric]} before={before.get(idIn(row, view.by))?.[view.metric]} />
    ),
  }
  const columns = [
    sortable('name', { title: grouping, cell: row => <Name row={row} view={view} days={data.range.days} /> }),
    sortable(view.metric, barColumn(view.metric, greatestOf(rows, view.metric), locale)),
    previous,
    change,
    ...tableMetrics(view)
      .slice(1)
      .map(name => sortable(name, figureColumn(name, locale))),
  ]
  return (
    <div class="stack">
      <h2 id="breakdown-title">{t.performance.breakdown(grouping)}</h2>
      <div class="table-place" tabIndex={0} role="region" aria-labelledby="breakdown-title">
        <Table look="compact breakdown" columns={columns} rows={shown} keyOf={row => idIn(row, view.by) || 'none'} />
      </div>
      <More left={rows.length - shown.length} onMore={() => setWhole(true)} />
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
  const name = shownName(row, view.by, t)
  const step = isTimeGrouping(view.by) ? null : stepInto(view, view.by, { id: id || 'none', from: '', to: '' }, days)
  if (step === null) return <>{name}</>
  return (
    <Button look="link" text={name} title={t.performance.drill(name)} onClick={() => change(step, { isStep: true })} />
  )
}
