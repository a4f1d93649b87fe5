import type { FlatRequest } from '../../data/production.ts'
import { filterBy, idIn, idsIn, shownName } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { GroupFilter, MachineFilter } from '../../reports/machine-filters.tsx'
import { PeriodPicker, periodOf, useRange } from '../../reports/period-picker.tsx'
import { ReportHead } from '../../reports/report-head.tsx'
import { ShareButton } from '../../reports/share-dialog.tsx'
import { useTurn } from '../../reports/use-turn.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { incidentGroupings, type IncidentRow, loadIncidents, maxListed, type IncidentView } from './incidents-data.ts'
import { IncidentRows } from './incident-rows.tsx'

/** Times to acknowledge and to resolve incidents by machine, shift, rule or person, and the incidents of each group. */
function Incidents() {
  const { t } = useLocale()
  const { client } = useViewer()
  const [query, change] = useQuery()
  const choice = periodOf(query, 'days7')
  const turn = useTurn()
  const { range } = useRange(choice, turn)
  const view: IncidentView = {
    group: incidentGroupings.find(name => name === query.get('by')) ?? 'machine',
    of: query.get('of') || null,
    chosen: { machines: idsIn(query, 'machine'), groups: idsIn(query, 'group') },
  }
  const loaded = useLoad(() => loadIncidents(client, range, view), [client, JSON.stringify([range, view]), turn])
  const all = useLoad(() => client.call('GET /machines', { query: { includeDecommissioned: 'true' } }), [client])
  const { machines, groups } = view.chosen
  const body: FlatRequest = {
    ...range,
    groupBy: [view.group],
    filter: filterBy({ machine: machines, machineGroup: groups }),
    flatten: true,
  }
  return (
    <div class="page">
      <ReportHead title={t.screens.incidents} range={loaded.value?.groups.range}>
        <ShareButton endpoint="POST /reports/incident" body={body} />
      </ReportHead>
      <div class="report-bar">
        <PeriodPicker choice={choice} />
        <Select
          label={t.incidents.by}
          value={view.group}
          options={incidentGroupings.map(value => ({ value, title: t.incidents.groupings[value] }))}
          onValue={by => change({ by, of: null })}
        />
        <GroupFilter machines={all.value} chosen={groups} />
        <MachineFilter machines={all.value} chosen={machines} />
      </div>
      <Await loaded={loaded}>{data => <Content data={data} view={view} />}</Await>
    </div>
  )
}

type Data = Awaited<ReturnType<typeof loadIncidents>>

function Content({
  data: { groups, chosenRow, incidents },
  view,
}: {
  readonly data: Data
  readonly view: IncidentView
}) {
  const { t, format } = useLocale()
  const words = t.incidents
  if (groups.items.length === 0) return <Empty text={words.none} />
  return (
    <div class="report">
      <Figures values={groups.aggregate} />
      <Groups rows={groups.items} view={view} />
      <section class="stack" aria-labelledby="behind-title">
        <h2 id="behind-title">{chosenRow === null ? words.all : words.of(shownName(chosenRow, view.group, t))}</h2>
        {incidents === null ? (
          <p class="notice">{words.tooMany(format.count(maxListed))}</p>
        ) : (
          <IncidentRows rows={incidents} />
        )}
      </section>
    </div>
  )
}

function Figures({ values }: { readonly values: Data['groups']['aggregate'] }) {
  const { t, format } = useLocale()
  const words = t.incidents
  const figures = [
    [words.count, format.count(values.recordCount)],
    [words.acknowledgeMedian, format.duration(values.timeToAcknowledgeMsP50)],
    [words.resolveMedian, format.duration(values.timeToResolveMsP50)],
    [words.unacknowledged, format.count(values.unacknowledgedCount)],
    [words.unresolved, format.count(values.unresolvedCount)],
    [words.escalated, format.count(values.escalatedCount)],
  ] as const
  return (
    <ul class="heads">
      {figures.map(([title, value]) => (
        <li key={title} class="head plain">
          <span class="head-title">{title}</span>
          <span class="value">{value}</span>
        </li>
      ))}
    </ul>
  )
}

function Groups({ rows, view }: { readonly rows: readonly IncidentRow[]; readonly view: IncidentView }) {
  const { t, format } = useLocale()
  const [, change] = useQuery()
  const words = t.incidents
  const { group, of } = view
  const keyOf = (row: IncidentRow) => idIn(row, group) || 'none'
  const figure = (title: string, text: (row: IncidentRow) => string): Column<IncidentRow> => ({
    title,
    class: 'figure-cell',
    cell: text,
  })
  const columns: readonly Column<IncidentRow>[] = [
    {
      title: words.groupings[group],
      cell: row => (
        <Button
          look="link"
          text={shownName(row, group, t)}
          aria-pressed={keyOf(row) === of}
          onClick={() => change({ of: keyOf(row) === of ? null : keyOf(row) })}
        />
      ),
    },
    figure(words.count, row => format.count(row.recordCount)),
    figure(words.acknowledgeMedian, row => format.duration(row.timeToAcknowledgeMsP50)),
    figure(words.acknowledge90, row => format.duration(row.timeToAcknowledgeMsP90)),
    figure(words.resolveMedian, row => format.duration(row.timeToResolveMsP50)),
    figure(words.resolve90, row => format.duration(row.timeToResolveMsP90)),
    figure(words.unacknowledged, row => format.count(row.unacknowledgedCount)),
    figure(words.escalated, row => format.count(row.escalatedCount)),
  ]
  const sorted = rows.toSorted((a, b) => (b.recordCount ?? 0) - (a.recordCount ?? 0))
  return (
    <section class="stack" aria-label={words.by}>
      <p class="hint">{words.groupsHint}</p>
      <Table look="compact" columns={columns} rows={sorted} keyOf={keyOf} />
    </section>
  )
}

export { Incidents as screen }
