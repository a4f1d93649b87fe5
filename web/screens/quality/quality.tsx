import { useEffect, useState } from 'preact/hooks'
import { type Filter, filterBy, type FlatRequest, idIn, idsIn, shownName, textOf } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import type { Client } from '../../data/client.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { amount, titledAmount } from '../../reports/amount.ts'
import { type Bar, BarCard } from '../../reports/bars.tsx'
import { type Chosen, GroupFilter, machinesOf, MachineFilter } from '../../reports/machine-filters.tsx'
import { OnlyChosen } from '../../reports/only-chosen.tsx'
import { PeriodPicker, periodOf, useRange } from '../../reports/period-picker.tsx'
import { ReportHead } from '../../reports/report-head.tsx'
import { ShareButton } from '../../reports/share-dialog.tsx'
import { useTurn } from '../../reports/use-turn.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import type { ComparedRange, ReportRange } from '../../time/period.ts'
import { Await, Empty, Failure } from '../../ui/notice.tsx'
import { Delta } from '../performance/delta.tsx'
import { Entries } from './entries.tsx'

const figures = ['quality', 'rejectedParts', 'scrapParts', 'nonconformParts', 'goodParts'] as const

/** Rejected parts by reason, machine and part, and the list of entries. */
function Quality() {
  const { t } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const [query] = useQuery()
  const choice = periodOf(query, 'week')
  const [changes, setChanges] = useState(0)
  const turn = useTurn() + changes
  const range = useRange(choice, turn)
  const reason = query.get('reason')
  const machines = idsIn(query, 'machine')
  const groups = idsIn(query, 'group')
  const chosen = { machines, groups }
  const key = JSON.stringify([range, reason, chosen])
  const loaded = useLoad(() => loadQuality(client, range, reason, chosen), [client, key, turn])
  // Entries of decommissioned machines stay in their groups.
  const all = useLoad(() => client.call('GET /machines', { query: { includeDecommissioned: 'true' } }), [client])
  const known = all.value ?? []
  // Reports contain an entry within seconds: they are reloaded until then.
  const [isSaved, setSaved] = useState(0)
  useEffect(() => {
    if (isSaved === 0) return undefined
    const timers = [500, 2000, 4000, 8000, 16_000, 30_000].map(ms =>
      setTimeout(() => setChanges(before => before + 1), ms),
    )
    return () => timers.forEach(clearTimeout)
  }, [isSaved])
  const body: FlatRequest = {
    ...range.range,
    groupBy: ['reason', 'machine'],
    filter: filterOf(reason, chosen),
    flatten: true,
  }
  return (
    <div class="page">
      <ReportHead title={t.screens.quality} range={loaded.value?.now.range}>
        <ShareButton endpoint="POST /reports/quality" body={body} />
      </ReportHead>
      <div class="report-bar">
        <PeriodPicker choice={choice} />
        <GroupFilter machines={known} chosen={groups} />
        <MachineFilter machines={known} chosen={machines} />
      </div>
      <Await loaded={loaded}>{data => <Content data={data} reason={reason} />}</Await>
      <Failure error={all.error} onRetry={all.reload} />
      {hasScope(viewer, 'part-adjustment') && all.value !== null && (
        <Entries
          range={range}
          machines={machinesOf(chosen, known)}
          known={known}
          turn={turn}
          onSaved={() => setSaved(isSaved + 1)}
        />
      )}
    </div>
  )
}

function Content({ data, reason }: { readonly data: QualityData; readonly reason: string | null }) {
  const locale = useLocale()
  const { t, format, language } = locale
  const [, change] = useQuery()
  const words = t.quality
  const bars = (rows: QualityData['reasons'], name: 'reason' | 'machine' | 'jobOperation') =>
    rows.map((row): Bar => ({
      key: idIn(row, name) || 'none',
      name: shownName(row, name, t),
      value: row.rejectCount,
      text: amount(row.rejectCount, 'parts', locale),
      color: textOf(row, 'reasonColor') || undefined,
    }))
  const reasons = bars(data.reasons, 'reason')
  const chosen = reasons.find(({ key }) => key === reason)
  const only = reason !== null && (
    <OnlyChosen text={chosen ? words.only(chosen.name) : words.onlyAbsent} param="reason" />
  )
  return (
    <div class="report">
      <ul class="heads">
        {figures.map(name => (
          <li key={name} class="head plain" data-figure={name}>
            <span class="head-title">{metricText(name, language).title}</span>
            <span class="value">{titledAmount(data.now.aggregate[name], unitOf(name), locale)}</span>
            <Delta metric={name} value={data.now.aggregate[name]} before={data.before.aggregate[name]} />
          </li>
        ))}
      </ul>
      {!chosen && only}
      {reasons.length === 0 ? (
        <Empty text={words.none}>
          <p>{words.noneHow}</p>
        </Empty>
      ) : (
        <div class="columns">
          <BarCard
            title={words.byReason}
            bars={reasons}
            chosen={reason}
            onPick={key => change({ reason: key === reason ? null : key })}
          >
            <p class="hint">{words.byReasonHint}</p>
          </BarCard>
          <BarCard title={t.terms.byMachine} bars={bars(data.machines, 'machine')}>
            {chosen && only}
          </BarCard>
          <BarCard title={words.byPart} bars={bars(data.parts, 'jobOperation')}>
            {chosen && only}
          </BarCard>
        </div>
      )}
      <p class="hint">{t.performance.beforeOf(format.range(data.before.range.start, data.before.range.end))}</p>
    </div>
  )
}

type QualityData = Awaited<ReturnType<typeof loadQuality>>

async function loadQuality(client: Client, range: ComparedRange, reason: string | null, chosen: Chosen) {
  const of = (filter: Filter, group: 'reason' | 'machine' | 'jobOperation') =>
    client.call('POST /reports/quality', { body: { ...range.range, groupBy: [group], filter, flatten: true } })
  const query = (part: ReportRange) =>
    client.call('POST /reports/production', {
      body: { ...part, data: figures, filter: filterOf(null, chosen), flatten: true },
    })
  const [now, before, reasons, byMachine, parts] = await Promise.all([
    query(range.range),
    query(range.before),
    of(filterOf(null, chosen), 'reason'),
    of(filterOf(reason, chosen), 'machine'),
    of(filterOf(reason, chosen), 'jobOperation'),
  ])
  return { now, before, reasons: reasons.items, machines: byMachine.items, parts: parts.items }
}

function filterOf(reason: string | null, { machines, groups }: Chosen): Filter {
  return filterBy({ reason: reason === null ? [] : [reason], machine: machines, machineGroup: groups })
}

export { Quality as screen }
