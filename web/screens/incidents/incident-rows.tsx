import { useState } from 'preact/hooks'
import { idIn, nameIn, shownName, textOf } from '../../data/production.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { More } from '../../reports/more.tsx'
import { Link } from '../../router/router.tsx'
import type { Texts } from '../../texts/en.ts'
import { useLocale } from '../../texts/locale.ts'
import { type Column, Table } from '../../ui/table.tsx'
import type { IncidentRow } from './incidents-data.ts'

const shownFirst = 30
type Order = 'start' | 'acknowledge' | 'resolve'

/** Sort keys, greatest first: incidents without an acknowledgement or a resolution take longest. */
const keys: Readonly<Record<Order, (row: IncidentRow) => number>> = {
  start: row => Date.parse(textOf(row, 'incidentStartedAt')),
  acknowledge: row => row.timeToAcknowledgeMsP50 ?? Infinity,
  resolve: row => row.timeToResolveMsP50 ?? Infinity,
}

/** The incidents of a group, newest or longest first. */
export function IncidentRows({ rows }: { readonly rows: readonly IncidentRow[] }) {
  const { t, format } = useLocale()
  const canOpen = hasScope(useViewer(), 'incident.read')
  const [order, setOrder] = useState<Order>('start')
  const [shown, setShown] = useState(shownFirst)
  const words = t.incidents
  const sortOf = (by: Order, title: string): NonNullable<Column<IncidentRow>['sort']> => ({
    order: order === by ? 'descending' : 'none',
    label: words.sortBy(title),
    onClick: () => setOrder(by),
  })
  const columns: readonly Column<IncidentRow>[] = [
    {
      title: t.terms.start,
      class: 'when',
      sort: sortOf('start', t.terms.start),
      cell: row => {
        const start = format.dateTime(textOf(row, 'incidentStartedAt'))
        if (!canOpen) return start
        return (
          <Link to="app/now" query={{ incident: idIn(row, 'incident') }}>
            {start}
          </Link>
        )
      },
    },
    { title: words.subject, isHeader: true, cell: row => subjectOf(row, t) },
    { title: words.groupings.rule, cell: row => ruleOf(row, t) },
    { title: words.groupings.acknowledgedBy, cell: row => shownName(row, 'acknowledgedBy', t) },
    {
      title: words.acknowledge,
      class: 'figure-cell',
      sort: sortOf('acknowledge', words.acknowledge),
      cell: row => format.duration(row.timeToAcknowledgeMsP50),
    },
    {
      title: words.resolve,
      class: 'figure-cell',
      sort: sortOf('resolve', words.resolve),
      cell: row => (row.unresolvedCount === 0 ? format.duration(row.timeToResolveMsP50) : words.open),
    },
    { title: words.escalated, class: 'figure-cell', cell: row => (row.escalatedCount === 0 ? t.none : words.yes) },
  ]
  const start = keys.start
  const sorted = rows.toSorted((a, b) => compare(keys[order](b), keys[order](a)) || compare(start(b), start(a)))
  return (
    <>
      <Table look="compact" columns={columns} rows={sorted.slice(0, shown)} keyOf={row => idIn(row, 'incident')} />
      <More left={rows.length - shown} onMore={() => setShown(shown + shownFirst)} />
    </>
  )
}

/** The machine or the check of an incident; the report does not name connectors. */
function subjectOf(row: IncidentRow, { alerts }: Texts): string {
  return idIn(row, 'kind') === 'connector' ? alerts.kinds.connector : nameIn(row, 'incident')
}

/** The rule of an incident; the report does not name those of connectors. */
function ruleOf(row: IncidentRow, t: Texts): string {
  return idIn(row, 'kind') === 'connector' ? t.alerts.kinds.connector : shownName(row, 'rule', t)
}

function compare(a: number, b: number): number {
  return a < b ? -1 : Number(a > b)
}
