import type { Client } from '../../data/client.ts'
import { type AlarmReportBody, alarmMetrics } from '../../data/alarms.ts'
import { type Filter, filterBy, idIn, idsIn, nameIn, textOf } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { amount } from '../../reports/amount.ts'
import { type Bar, BarCard } from '../../reports/bars.tsx'
import { MachineFilter } from '../../reports/machine-filters.tsx'
import { OnlyChosen } from '../../reports/only-chosen.tsx'
import { PeriodPicker, periodOf, useRange } from '../../reports/period-picker.tsx'
import { ReportHead } from '../../reports/report-head.tsx'
import { ShareButton } from '../../reports/share-dialog.tsx'
import { useTurn } from '../../reports/use-turn.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import type { ReportRange } from '../../time/period.ts'
import { Select } from '../../ui/field.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { CurrentAlarms } from './current-alarms.tsx'
import { History } from './history.tsx'

const measures = ['durationMs', 'recordCount'] as const
type Measure = (typeof measures)[number]

const states = ['', 'FAULT', 'WARNING'] as const

/** Alarms of the plant: those that are active, which codes cost most, and each one of a range. */
function Alarms() {
  const { t } = useLocale()
  const { client } = useViewer()
  const [query, change] = useQuery()
  const choice = periodOf(query, 'week')
  const turn = useTurn()
  const { range, isOpen } = useRange(choice, turn)
  const measure = measures.find(each => each === query.get('count')) ?? 'durationMs'
  const state = states.find(each => each === query.get('state')) ?? ''
  const code = query.get('code')
  const machines = idsIn(query, 'machine')
  const key = JSON.stringify([range, state, code, machines])
  const filter = filterOf(state, machines, null)
  const loaded = useLoad(
    () => loadAlarms(client, range, filter, filterOf(state, machines, code)),
    [client, key, isOpen ? turn : 0],
  )
  const known = useLoad(() => client.call('GET /machines'), [client]).value ?? []
  return (
    <div class="page">
      <ReportHead title={t.screens.alarms} range={loaded.value?.range}>
        <ShareButton endpoint="POST /reports/alarm" body={request(range, 'nativeCode', filter)} />
      </ReportHead>
      <CurrentAlarms />
      <div class="report-bar">
        <PeriodPicker choice={choice} />
        <Select
          label={t.terms.state}
          value={state}
          options={states.map(each => ({
            value: each,
            title: each === '' ? t.alarms.everyState : t.alarms.states[each],
          }))}
          onValue={chosen => change({ state: chosen })}
        />
        <Select
          label={t.alarms.by}
          value={measure}
          options={measures.map(each => ({ value: each, title: t.alarms.measures[each] }))}
          onValue={count => change({ count })}
        />
        <MachineFilter machines={known} chosen={machines} />
      </div>
      <Await loaded={loaded}>
        {data => (
          <>
            {code !== null && !data.codes.some(row => idIn(row, 'nativeCode') === code) && (
              <OnlyChosen param="code" text={t.alarms.onlyAbsent} />
            )}
            {data.codes.length === 0 ? (
              <Empty text={t.alarms.none}>
                <p>{t.alarms.noneHow}</p>
              </Empty>
            ) : (
              <>
                <Paretos data={data} measure={measure} code={code} />
                <History range={data.range} filter={filterOf(state, machines, code)} known={known} />
              </>
            )}
          </>
        )}
      </Await>
    </div>
  )
}

interface ParetosProps {
  readonly data: AlarmData
  readonly measure: Measure
  readonly code: string | null
}

function Paretos({ data, measure, code }: ParetosProps) {
  const [, change] = useQuery()
  const locale = useLocale()
  const { t, format } = locale
  const words = t.alarms
  const text = (value: number) => amount(value, measure === 'durationMs' ? 'ms' : 'records', locale)
  const codes = data.codes.map((row): Bar => {
    const value = row[measure]
    const other =
      measure === 'durationMs' ? words.times(format.count(row.recordCount)) : amount(row.durationMs, 'ms', locale)
    return {
      key: idIn(row, 'nativeCode'),
      name: `${nameIn(row, 'nativeCode')} ${textOf(row, 'nativeCodeMessage')}`,
      value,
      text: text(value),
      color: textOf(row, 'nativeCodeState') === 'FAULT' ? 'var(--fault)' : 'var(--inactive)',
      note: `${words.states[textOf(row, 'nativeCodeState') === 'FAULT' ? 'FAULT' : 'WARNING']} · ${other} · ${words.machines(format.count(row.machineCount))}`,
    }
  })
  const machines = data.machines.map((row): Bar => ({
    key: idIn(row, 'machine'),
    name: nameIn(row, 'machine'),
    value: row[measure],
    text: text(row[measure]),
  }))
  const chosen = codes.find(({ key }) => key === code)
  return (
    <div class="columns">
      <BarCard
        title={words.pareto}
        bars={codes}
        chosen={code}
        onPick={key => change({ code: key === code ? null : key })}
      >
        <p class="hint">{words.paretoHint}</p>
      </BarCard>
      <BarCard title={t.terms.byMachine} bars={machines}>
        {chosen && <OnlyChosen text={words.only(chosen.name)} param="code" />}
      </BarCard>
    </div>
  )
}

type AlarmData = Awaited<ReturnType<typeof loadAlarms>>

async function loadAlarms(client: Client, range: ReportRange, all: Filter, ofCode: Filter) {
  const [codes, machines] = await Promise.all([
    client.call('POST /reports/alarm', { body: request(range, 'nativeCode', all) }),
    client.call('POST /reports/alarm', { body: request(range, 'machine', ofCode) }),
  ])
  return { range: codes.range, codes: codes.items, machines: machines.items }
}

function request(range: ReportRange, group: 'nativeCode' | 'machine', filter: Filter): AlarmReportBody {
  return { ...range, data: alarmMetrics, groupBy: [group], filter, flatten: true }
}

function filterOf(state: string, machines: readonly string[], code: string | null): Filter {
  return filterBy({
    state: state === '' ? [] : [state],
    machine: machines,
    nativeCodeId: code === null ? [] : [code],
  })
}

export { Alarms as screen }
