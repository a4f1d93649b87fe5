import { useState } from 'preact/hooks'
import { usePolled } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { More } from '../../reports/more.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Icon } from '../../ui/icon.tsx'
import { Await } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/use-now.ts'

const everyMs = 5000
const shownFirst = 12

interface CurrentAlarm {
  readonly alarmId: number | null
  readonly startAt: string
  readonly nativeCode: string
  readonly description: string
  readonly state: string
  readonly metricKey: string
  readonly machine: { readonly machineId: string; readonly name: string } | null
}

interface CurrentAlarmsData {
  readonly currentAlarms: readonly CurrentAlarm[]
}

const currentAlarms = `{
  currentAlarms(order_by: [{state: asc}, {startAt: asc}]) {
    alarmId startAt nativeCode description state metricKey machine { machineId name }
  }
}`

/** Active alarms, faults first; polled every few seconds. */
export function CurrentAlarms() {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const { value, error } = usePolled(everyMs, () => client.graphql<CurrentAlarmsData>(currentAlarms), [client])
  const [isWhole, setWhole] = useState(false)
  const nowMs = useNow(() => client.now())
  const words = t.alarms
  const alarms = value?.currentAlarms ?? null
  return (
    <section class="stack" aria-labelledby="current-title">
      <div class="section-head">
        <h2 id="current-title">{words.current}</h2>
        {alarms !== null && <span class="chip">{format.count(alarms.length)}</span>}
      </div>
      <Await loaded={{ value: alarms, error }}>
        {all =>
          all.length === 0 ? (
            <p class="all-well">
              <Icon name="check" /> {words.noneNow}
            </p>
          ) : (
            <ul class="current-alarms">
              {(isWhole ? all : all.slice(0, shownFirst)).map(alarm => (
                <AlarmRow key={keyOf(alarm)} alarm={alarm} nowMs={nowMs} />
              ))}
            </ul>
          )
        }
      </Await>
      {alarms && !isWhole && <More left={alarms.length - shownFirst} onMore={() => setWhole(true)} />}
    </section>
  )
}

function keyOf({ machine, metricKey, startAt, nativeCode }: CurrentAlarm): string {
  return `${machine?.machineId} ${metricKey} ${startAt} ${nativeCode}`
}

function AlarmRow({ alarm, nowMs }: { readonly alarm: CurrentAlarm; readonly nowMs: number }) {
  const { t, format } = useLocale()
  const { machine, startAt, nativeCode, description, state } = alarm
  const status = state === 'FAULT' ? 'FAULT' : 'WARNING'
  return (
    <li class="current-alarm" data-status={status}>
      <StatusMark status={status} size={20} />
      <span class="current-machine">
        <strong>{machine?.name}</strong>
        <span class="hint">{t.alarms.since(format.minutes(Math.max(1, nowMs - Date.parse(startAt))))}</span>
      </span>
      <span class="current-text">
        <span class="unseen">{t.alarms.states[status]} </span>
        <code>{nativeCode}</code> {description}
      </span>
    </li>
  )
}
