import { useMemo, useRef } from 'preact/hooks'
import { filterBy, type FlatRequest, idIn, shownName, textOf } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { type Bar, BarCard } from '../../reports/bars.tsx'
import { GroupFilter, MachineFilter } from '../../reports/machine-filters.tsx'
import { PeriodPicker, useRange } from '../../reports/period-picker.tsx'
import { ReportHead } from '../../reports/report-head.tsx'
import { ShareButton } from '../../reports/share-dialog.tsx'
import { useTurn } from '../../reports/use-turn.ts'
import { useQuery } from '../../router/router.tsx'
import { type Locale, useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Await, Empty, Failure } from '../../ui/notice.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { type DowntimeData, loadDowntime, timesOf } from './downtime-data.ts'
import { DownloadStops } from './download-stops.tsx'
import { Editor } from './editor.tsx'
import { maxRows } from './list-rows.ts'
import { type DowntimeView, downtimeViewOf } from './view.ts'

/** Downtime by reason and by machine, and a list of stops to categorize. */
function Downtime() {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const [query, change] = useQuery()
  const view = useMemo(() => downtimeViewOf(query), [query])
  const turn = useTurn()
  const range = useRange(view.choice, turn)
  const key = JSON.stringify([range.range, view])
  const shownKey = useRef<string | null>(null)
  const loaded = useLoad<DowntimeData>(
    show => {
      // A list that is loaded again keeps its short stops.
      const showFirst = (first: DowntimeData) => shownKey.current !== key && show(first)
      return loadDowntime(viewer, key, view, range.range, showFirst)
    },
    [key, range.isOpen ? turn : 0],
  )
  shownKey.current = loaded.value?.key ?? null
  const words = t.downtime
  const data = loaded.value
  const body: FlatRequest = {
    ...range.range,
    groupBy: ['reason'],
    filter: filterBy({ machine: view.machines, machineGroup: view.groups }),
    flatten: true,
  }
  const machineName = (id: string) => data?.machines.find(machine => machine.id === id)?.name ?? id
  return (
    <div class="page">
      <ReportHead title={t.screens.downtime} range={data?.byReason.range}>
        <div class="head-buttons">
          <DownloadStops
            list={data?.key === key && data.listError === null ? { ...data.list, reason: [] } : null}
            nameOf={machineName}
          />
          <ShareButton endpoint="POST /reports/downtime" body={body} />
        </div>
      </ReportHead>
      <div class="report-bar">
        <PeriodPicker choice={view.choice} />
        <GroupFilter machines={data?.machines ?? null} chosen={view.groups} />
        <MachineFilter machines={data?.machines ?? null} chosen={view.machines} />
      </div>
      <Await loaded={loaded}>
        {value => (
          <div class="report" data-stale={value.key !== key} aria-busy={value.key !== key}>
            <Figures data={value} />
            {value.byReason.aggregate.downtimeMs === 0 ? (
              <Empty text={words.empty}>
                <p>{words.emptyHow}</p>
              </Empty>
            ) : (
              <>
                <section class="card" aria-labelledby="stops-title">
                  <div class="section-head stops-head">
                    <h2 id="stops-title">{words.list}</h2>
                    <ShownStops data={value} view={view} />
                    <Select
                      label={t.floor.by}
                      value={view.order}
                      options={(['duration', 'start'] as const).map(order => ({
                        value: order,
                        title: words.orders[order],
                      }))}
                      onValue={order => change({ order })}
                    />
                  </div>
                  {value.hasMore && <p class="hint">{words.most(format.count(maxRows))}</p>}
                  <Editor
                    data={value}
                    nameOf={machineName}
                    canChange={hasScope(viewer, 'annotation')}
                    load={loaded.load}
                  >
                    {value.listError === null ? (
                      <Empty text={words.done}>
                        <p>{words.doneHow}</p>
                        <Button text={words.showAll} onClick={() => change({ reason: 'all' })} />
                      </Empty>
                    ) : (
                      <Failure error={value.listError} onRetry={loaded.reload} />
                    )}
                  </Editor>
                </section>
                <Paretos data={value} view={view} />
              </>
            )}
          </div>
        )}
      </Await>
    </div>
  )
}

function Figures({ data }: { readonly data: DowntimeData }) {
  const { t, format } = useLocale()
  const words = t.downtime
  const { downtimeMs, recordCount } = data.byReason.aggregate
  const openMs = timesOf(data).get('uncategorized') ?? 0
  const openCount = data.byReason.items.find(row => idIn(row, 'reason') === 'uncategorized')?.recordCount ?? 0
  const values = {
    total: format.duration(downtimeMs),
    stops: format.count(recordCount),
    open: format.duration(openMs),
    share: downtimeMs === 0 ? t.none : format.percent(1 - openMs / downtimeMs, 0),
  }
  return (
    <dl class="figures downtime-figures">
      {(['total', 'stops', 'open', 'share'] as const).map(name => (
        <div
          key={name}
          class="figure"
          data-figure={name}
          {...(name === 'open' && openMs > 0 && { 'data-level': 'warning' })}
        >
          <dt>{words.figures[name]}</dt>
          <dd class="value">{values[name]}</dd>
          <dd class="hint">{name === 'open' ? words.reasonMissing(format.count(openCount)) : words.hints[name]}</dd>
        </div>
      ))}
    </dl>
  )
}

function Paretos({ data, view }: { readonly data: DowntimeData; readonly view: DowntimeView }) {
  const locale = useLocale()
  const { client } = useViewer()
  const [, change] = useQuery()
  const { t } = locale
  const words = t.downtime
  // The report of many machines would delay the list.
  const loaded = useLoad(async () => {
    const body = { ...data.asked, groupBy: ['machine'] } as const
    return { of: data, report: await client.call('POST /reports/downtime', { body }) }
  }, [client, data])
  return (
    <div class="columns">
      <BarCard
        title={words.byReason}
        bars={barsOf(data.byReason, 'reason', locale)}
        shownFirst={6}
        pickTitle={words.filterReason}
        onPick={reason => change({ reason })}
      />
      <Await loaded={loaded}>
        {({ of, report }) => (
          <div data-stale={of === data ? undefined : true}>
            <BarCard
              title={t.terms.byMachine}
              bars={barsOf(report, 'machine', locale)}
              shownFirst={6}
              pickTitle={words.filterMachine}
              onPick={id => change({ machine: view.machines.includes(id) ? null : id })}
            />
          </div>
        )}
      </Await>
    </div>
  )
}

function barsOf(
  { items }: DowntimeData['byReason'],
  group: 'reason' | 'machine',
  { t, format }: Locale,
): readonly Bar[] {
  return items.map(row => ({
    key: idIn(row, group),
    name: shownName(row, group, t),
    value: row.downtimeMs,
    text: `${format.duration(row.downtimeMs)} · ${format.count(row.recordCount)} ×`,
    color: group === 'reason' ? textOf(row, 'reasonColor') || 'var(--edge)' : undefined,
  }))
}

/** Chooses which stops are listed. */
function ShownStops({ data, view }: { readonly data: DowntimeData; readonly view: DowntimeView }) {
  const { t, format } = useLocale()
  const [, change] = useQuery()
  const words = t.downtime
  const countOf = (id: string) =>
    format.count(data.byReason.items.find(row => idIn(row, 'reason') === id)?.recordCount ?? 0)
  const own = view.reason === 'uncategorized' || view.reason === 'all' ? null : view.reason
  const ownRow = data.byReason.items.find(row => idIn(row, 'reason') === own)
  const ownName = own === 'setup' ? t.reports.absent.setup : ownRow ? shownName(ownRow, 'reason', t) : (own ?? '')
  const options = [
    { value: 'uncategorized', title: words.shown.uncategorized, count: countOf('uncategorized') },
    { value: 'all', title: words.shown.all, count: format.count(data.byReason.aggregate.recordCount) },
    ...(own === null ? [] : [{ value: own, title: words.shown.one(ownName), count: countOf(own) }]),
  ]
  return (
    <Toggles
      label={words.show}
      value={view.reason}
      options={options}
      onValue={reason => change({ reason: reason === 'uncategorized' ? null : reason })}
    />
  )
}

export { Downtime as screen }
