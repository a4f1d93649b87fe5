import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { poll } from '../../data/poll.ts'
import { oneAtATime } from '../../data/one-at-a-time.ts'
import { openChannel } from '../../data/live-channel.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { FilterButton } from '../../reports/filter-button.tsx'
import { ruleOf } from '../../reports/period-picker.tsx'
import { Link } from '../../router/link.tsx'
import { useQuery } from '../../router/router.ts'
import { useLocale } from '../../texts/locale.ts'
import { daysOrTimes } from '../../time/period.ts'
import { Select } from '../../ui/field.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { loadWindow, numericKeys, type WindowData } from './machine-data.ts'
import { MetricChart } from './metric-chart.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { moved, spanNames, spans, type TimeWindow, zoomed } from './time-window.ts'
import { Timeline } from './timeline.tsx'
import { useWindow } from './use-window.ts'

/** One machine: everything that happened on it, on one axis of time. */
function Machine() {
  const { t } = useLocale()
  const { client } = useViewer()
  const [query, change] = useQuery()
  const {
    value: machines,
    error,
    reload,
  } = useLoad(() => client.call('GET /machines', { query: { includeDecommissioned: 'true' } }), [client])
  const words = t.machine
  const id = query.get('machine') ?? ''
  const chosen = machines?.find(machine => machine.id === id)
  if (machines === null)
    return <div class="page">{error === null ? <Loading /> : <Failure error={error} onRetry={reload} />}</div>
  const options = machines.map(machine => ({ value: machine.id, title: machine.name }))
  return (
    <div class="page">
      <div class="page-head">
        <h1>{chosen?.name ?? words.title}</h1>
        {machines.length > 0 && (
          <Select
            label={words.machine}
            value={chosen ? id : ''}
            options={chosen ? options : [{ value: '', title: words.none }, ...options]}
            onValue={machine => change({ machine })}
          />
        )}
      </div>
      {machines.length === 0 ? (
        <Empty text={words.noMachines}>
          <Link to="app/connect" class="button">
            {words.connect}
          </Link>
        </Empty>
      ) : chosen ? (
        <Content key={id} machine={chosen} />
      ) : (
        <Empty text={words.none} />
      )}
    </div>
  )
}

const namesPx = 92

function Content({ machine }: { readonly machine: MachineListItem }) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const [query, change] = useQuery()
  const words = t.machine
  const shown = useWindow()
  const { window: range, isLive, nowMs, show, follow } = shown
  const [widthPx, setWidth] = useState(0)
  const [cursorMs, setCursor] = useState<number | null>(null)
  const details = useLoad(() => client.call('GET /machines/:id', { params: { id: machine.id } }), [client])
  const metrics = useLoad(() => client.call('GET /machines/:id/metrics', { params: { id: machine.id } }), [client])
  const numeric = useMemo(() => (metrics.value ? numericKeys(metrics.value) : []), [metrics.value])
  const given = query.get('metrics')
  const keys = given === null ? numeric.slice(0, 2) : given.split(',').filter(Boolean)
  const { data, error, status, reload } = useWindowData(machine, shown, keys, widthPx)
  const lengthMs = range.toMs - range.fromMs
  const middleMs = (range.fromMs + range.toMs) / 2
  const span = spanNames.find(name => isLive && Math.abs(spans[name] - lengthMs) < 2000)
  const stopsRange = {
    machine: machine.id,
    period: 'custom',
    ...daysOrTimes(range.fromMs, Math.min(range.toMs, nowMs), ruleOf(viewer)),
  }
  return (
    <>
      <div class="report-bar machine-bar">
        <p class="machine-status">
          <StatusMark status={status} size={20} />
          <strong>{t.status[status]}</strong>
        </p>
        <div class="filters" role="group" aria-label={words.span}>
          {spanNames.map(name => (
            <button
              key={name}
              type="button"
              class="filter"
              aria-pressed={span === name}
              onClick={() => follow(spans[name])}
            >
              {words.spans[name]}
            </button>
          ))}
        </div>
        <div class="presets">
          <button type="button" class="button quiet" onClick={() => show(moved(range, -lengthMs / 2, nowMs))}>
            {words.earlier}
          </button>
          <button
            type="button"
            class="button quiet"
            disabled={isLive}
            onClick={() => show(moved(range, lengthMs / 2, nowMs))}
          >
            {words.later}
          </button>
          <button type="button" class="button quiet" onClick={() => show(zoomed(range, 0.5, cursorMs ?? middleMs))}>
            {words.zoomIn}
          </button>
          <button type="button" class="button quiet" onClick={() => show(zoomed(range, 2, middleMs))}>
            {words.zoomOut}
          </button>
          <button type="button" class="button quiet" aria-pressed={isLive} onClick={() => follow(lengthMs)}>
            {isLive ? words.live : words.toNow}
          </button>
        </div>
      </div>
      {error !== null && <Failure error={error} onRetry={reload} />}
      <div class="machine-columns">
        <section class="card machine-lanes" aria-labelledby="timeline-title">
          <div class="section-head">
            <h2 id="timeline-title">{words.timeline}</h2>
            <span class="hint">
              {format.dateTime(isoOf(range.fromMs))} – {format.dateTime(isoOf(range.toMs))}
            </span>
          </div>
          {data === null ? (
            <>
              <Measure onWidth={setWidth} />
              {error === null && <Loading />}
            </>
          ) : (
            <Timeline
              timeline={data.timeline}
              window={range}
              nowMs={nowMs}
              cursorMs={cursorMs}
              onCursor={setCursor}
              onWindow={show}
              onNow={() => follow(lengthMs)}
              onWidth={setWidth}
            />
          )}
          {data && data.timeline.resolutionMs > 0 && (
            <p class="hint">{words.steps(format.duration(data.timeline.resolutionMs))}</p>
          )}
          {data && data.timeline.states.length === 0 && <p class="hint">{words.nothing}</p>}
          <p class="hint lane-keys">{words.keys}</p>
          <div class="section-head">
            <h3>{words.metrics}</h3>
            {numeric.length > 0 && (
              <FilterButton
                title={words.metrics}
                options={numeric.map(key => ({ id: key, name: key }))}
                chosen={keys}
                onChange={chosen => change({ metrics: chosen.slice(0, mostMetrics).join(',') || ',' })}
              />
            )}
          </div>
          {metrics.value !== null && numeric.length === 0 && <p class="hint">{words.noMetrics}</p>}
          {data?.metrics.map(values => (
            <MetricChart key={values.key} values={values} window={range} namesPx={namesPx} />
          ))}
        </section>
        <div class="stack machine-side">
          {details.value && <SettingsPanel machine={details.value} groups={machine.machineGroups} />}
          {details.error !== null && <Failure error={details.error} onRetry={details.reload} />}
          <div class="presets">
            <Link to="app/downtime" query={stopsRange} class="button quiet">
              {words.stops}
            </Link>
            <Link to="app/performance" query={stopsRange} class="button quiet">
              {words.performance}
            </Link>
          </div>
        </div>
      </div>
    </>
  )
}

const mostMetrics = 6

/** Finds out how wide the lanes will be, before there are any. */
function Measure({ onWidth }: { readonly onWidth: (px: number) => void }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => onWidth(Math.max((place.current?.clientWidth ?? 0) - namesPx, 100)), [])
  return <div ref={place} />
}

const restMs = 150
const afterUpdateMs = 500

/**
 * Data of the window: at once where it was at rest before it changed, again when it has come to rest, and while it is live as often as it shows.
 * One request at a time.
 */
function useWindowData(
  machine: MachineListItem,
  { window: range, isLive, choice }: ReturnType<typeof useWindow>,
  keys: readonly string[],
  widthPx: number,
) {
  const { client } = useViewer()
  const [state, setState] = useState<{ readonly data: WindowData | null; readonly error: unknown }>({
    data: null,
    error: null,
  })
  const [status, setStatus] = useState(machine.status)
  const [turn, setTurn] = useState(0)
  const keysText = keys.join()
  const latest = useRef({ range, keysText, widthPx })
  latest.current = { range, keysText, widthPx }
  const changedAtMs = useRef(-Infinity)
  const isMeasured = widthPx > 0
  const ask = useMemo(
    () =>
      oneAtATime(async () => {
        // An answer of another part of time is shown until the next one comes; one with other metrics is not.
        const isWanted = () => latest.current.keysText === keysText
        try {
          const data = await loadWindow(client, machine.id, latest.current.range, keys, latest.current.widthPx)
          if (isWanted()) setState({ data, error: null })
        } catch (error) {
          if (isWanted()) setState(({ data }) => ({ data, error }))
          throw error
        }
      }),
    [client, machine.id, keysText, isMeasured],
  )
  useEffect(() => {
    if (!isMeasured) return undefined
    let stop: () => void = () => undefined
    const begin = () => {
      if (isLive) stop = poll(() => beatMs(latest.current.range), nothing, ask)
      else ask().catch(nothing)
    }
    const isMoving = performance.now() - changedAtMs.current < restMs
    changedAtMs.current = performance.now()
    const timer = setTimeout(begin, isMoving ? restMs : 0)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [ask, isMeasured, isLive, choice, turn])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      setTurn(before => before + 1)
    }
    const channel = openChannel<{ readonly status: MachineListItem['status'] }>({
      client,
      channel: 'status',
      onUpdate(update) {
        setStatus(update.status)
        timer ??= setTimeout(refresh, afterUpdateMs)
      },
      onJoined: () => undefined,
    })
    channel.setMachines([machine.id])
    return () => {
      clearTimeout(timer)
      channel.close()
    }
  }, [client, machine.id])
  return { ...state, status, reload: () => setTurn(before => before + 1) }
}

/** Time between two readings of a live window, ms: in about as much it moves by a pixel. */
function beatMs({ fromMs, toMs }: TimeWindow): number {
  return Math.min(Math.max((toMs - fromMs) / 5000, 3000), 60_000)
}

function nothing(): void {
  // The state tells of failures.
}

function isoOf(ms: number): string {
  return new Date(Math.round(ms)).toISOString()
}

export { Machine as screen }
