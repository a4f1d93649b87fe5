import { useEffect, useState } from 'preact/hooks'
import { poll } from '../../data/poll.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { Failure, Loading } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/use-now.ts'

const everyMs = 5000
const shownFirst = 12

interface Current {
  readonly alarmId: number | null
  readonly startAt: string
  readonly nativeCode: string
  readonly description: string
  readonly state: string
  readonly metricKey: string
  readonly machine: { readonly machineId: string; readonly name: string } | null
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
  const [alarms, setAlarms] = useState<readonly Current[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isWhole, setWhole] = useState(false)
  const nowMs = useNow(() => client.now())
  useEffect(
    () =>
      poll(
        () => everyMs,
        setError,
        async () =>
          setAlarms(
            (await client.graphql<{ readonly currentAlarms: readonly Current[] }>(currentAlarms)).currentAlarms,
          ),
      ),
    [client],
  )
  const words = t.alarms
  const shown = isWhole ? alarms : alarms?.slice(0, shownFirst)
  return (
    <section class="stack" aria-labelledby="current-title">
      <div class="section-head">
        <h2 id="current-title">{words.current}</h2>
        {alarms !== null && <span class="chip">{format.count(alarms.length)}</span>}
      </div>
      {error !== null && <Failure error={error} />}
      {!shown ? (
        error === null && <Loading />
      ) : shown.length === 0 ? (
        <p class="all-well">
          <StatusMark status="ACTIVE" size={18} /> {words.noneNow}
        </p>
      ) : (
        <ul class="current-alarms">
          {shown.map(({ machine, metricKey, startAt, nativeCode, description, state }) => (
            <li
              key={`${machine?.machineId} ${metricKey} ${startAt} ${nativeCode}`}
              class="current-alarm"
              data-status={state === 'FAULT' ? 'FAULT' : 'INACTIVE'}
            >
              <StatusMark status={state === 'FAULT' ? 'FAULT' : 'INACTIVE'} size={20} />
              <span class="current-machine">
                <strong>{machine?.name}</strong>
                <span class="hint">{words.since(format.duration(nowMs - Date.parse(startAt)))}</span>
              </span>
              <span class="current-text">
                <span class="unseen">{words.states[state === 'FAULT' ? 'FAULT' : 'WARNING']} </span>
                <code>{nativeCode}</code> {description}
              </span>
            </li>
          ))}
        </ul>
      )}
      {alarms && !isWhole && alarms.length > shownFirst && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          {t.reports.more(format.count(alarms.length - shownFirst))}
        </button>
      )}
    </section>
  )
}
