import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { FilterButton } from '../../reports/filter-button.tsx'
import { ruleOf } from '../../reports/period-picker.tsx'
import { Link, useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { daysOrTimes } from '../../time/period.ts'
import { Chooser } from '../../ui/chooser.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { MachineIncidents } from '../now/machine-incidents.tsx'
import { numericKeys, type WindowData } from './machine-data.ts'
import { MachineStatus } from './machine-status.tsx'
import { MetricChart } from './metric-chart.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import type { TimeWindow } from './time-window.ts'
import { Timeline } from './timeline.tsx'
import { Today } from './today.tsx'
import { useWindowData } from './use-window-data.ts'
import { type ShownWindow, useWindow } from './use-window.ts'
import { WindowBar } from './window-bar.tsx'

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
        <h1>{chosen?.name ?? t.screens.machine}</h1>
        {machines.length > 0 && (
          <Chooser
            label={t.terms.machine}
            value={chosen ? id : ''}
            options={chosen ? options : [{ value: '', title: words.none }, ...options]}
            onValue={machine => change({ machine })}
          />
        )}
      </div>
      {machines.length === 0 ? (
        <Empty text={t.floor.empty}>
          <Link to="app/connect" class="button">
            {t.floor.emptyHow}
          </Link>
        </Empty>
      ) : chosen ? (
        <Content key={id} machine={chosen} />
      ) : (
        <Choices machines={machines} />
      )}
    </div>
  )
}

function Choices({ machines }: { readonly machines: readonly MachineListItem[] }) {
  const { t } = useLocale()
  const compare = new Intl.Collator(undefined, { numeric: true }).compare
  return (
    <section class="card stack" aria-labelledby="choices-title">
      <h2 id="choices-title">{t.machine.none}</h2>
      <ul class="machine-choices">
        {machines
          .toSorted((a, b) => compare(a.name, b.name))
          .map(({ id, name, machineGroups }) => (
            <li key={id}>
              <Link to="app/machine" query={{ machine: id }}>
                {name}
              </Link>
              <span class="hint">{machineGroups.map(group => group.name).join(', ')}</span>
            </li>
          ))}
      </ul>
    </section>
  )
}

const namesPx = 92

function Content({ machine }: { readonly machine: MachineListItem }) {
  const { t } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const [query] = useQuery()
  const shown = useWindow()
  const { window: range, nowMs } = shown
  const [widthPx, setWidth] = useState(0)
  const [cursorMs, setCursor] = useState<number | null>(null)
  const details = useLoad(() => client.call('GET /machines/:id', { params: { id: machine.id } }), [client])
  const metrics = useLoad(() => client.call('GET /machines/:id/metrics', { params: { id: machine.id } }), [client])
  const numeric = useMemo(() => (metrics.value ? numericKeys(metrics.value) : null), [metrics.value])
  const keysText = query.get('metrics')
  const keys = keysText === null ? (numeric ?? []).slice(0, 2) : keysText.split(',').filter(Boolean)
  const { data, error, now, reload } = useWindowData(machine, shown, keys, widthPx)
  const stopsRange = {
    machine: machine.id,
    period: 'custom',
    ...daysOrTimes(range.fromMs, Math.min(range.toMs, nowMs), ruleOf(viewer)),
  }
  return (
    <>
      <MachineStatus machineId={machine.id} now={now} nowMs={nowMs} />
      <Today machineId={machine.id} />
      {hasScope(viewer, 'incident.read') && <MachineIncidents machine={machine} />}
      <div class="machine-columns">
        <section class="card machine-lanes" aria-labelledby="timeline-title">
          <Lanes
            shown={shown}
            error={error}
            onRetry={reload}
            data={data}
            cursorMs={cursorMs}
            onCursor={setCursor}
            onWidth={setWidth}
          />
          <Metrics data={data} numeric={numeric} keys={keys} range={range} />
        </section>
        <div class="stack machine-side">
          {details.value && <SettingsPanel machine={details.value} groups={machine.machineGroups} />}
          <Failure error={details.error} onRetry={details.reload} />
          <div class="presets">
            <Link to="app/downtime" query={stopsRange} class="button quiet">
              {t.downtime.list}
            </Link>
            <Link to="app/performance" query={stopsRange} class="button quiet">
              {t.performance.losses.title}
            </Link>
          </div>
        </div>
      </div>
    </>
  )
}

interface LanesProps {
  readonly shown: ShownWindow
  readonly data: WindowData | null
  readonly error: unknown
  readonly onRetry: () => void
  readonly cursorMs: number | null
  readonly onCursor: (ms: number | null) => void
  readonly onWidth: (px: number) => void
}

function Lanes({ shown, data, error, onRetry, cursorMs, onCursor, onWidth }: LanesProps) {
  const { t, format } = useLocale()
  const words = t.machine
  const { window: range, nowMs, show, follow } = shown
  return (
    <>
      <div class="section-head">
        <h2 id="timeline-title">{t.terms.timeline}</h2>
        <span class="hint">{format.range(range.fromMs, range.toMs)}</span>
      </div>
      <WindowBar shown={shown} cursorMs={cursorMs} />
      <Failure error={error} onRetry={onRetry} />
      {data === null ? (
        <>
          <Measure onWidth={onWidth} />
          {error === null && <Loading />}
        </>
      ) : (
        <Timeline
          timeline={data.timeline}
          window={range}
          nowMs={nowMs}
          cursorMs={cursorMs}
          onCursor={onCursor}
          onWindow={show}
          onNow={() => follow(range.toMs - range.fromMs)}
          onWidth={onWidth}
        />
      )}
      {data && data.timeline.resolutionMs > 0 && (
        <p class="hint">{words.steps(format.duration(data.timeline.resolutionMs))}</p>
      )}
      {data && data.timeline.states.length === 0 && <p class="hint">{words.nothing}</p>}
      <p class="hint lane-keys">{words.keys}</p>
    </>
  )
}

interface MetricsProps {
  readonly data: WindowData | null
  /** Keys of the machine's numbers; null: not known yet. */
  readonly numeric: readonly string[] | null
  readonly keys: readonly string[]
  readonly range: TimeWindow
}

function Metrics({ data, numeric, keys, range }: MetricsProps) {
  const words = useLocale().t.machine
  const [, change] = useQuery()
  return (
    <>
      <div class="section-head">
        <h3>{words.metrics}</h3>
        {numeric !== null && numeric.length > 0 && (
          <FilterButton
            title={words.metrics}
            options={numeric.map(key => ({ id: key, name: key }))}
            chosen={keys}
            onChange={chosen => change({ metrics: chosen.slice(0, maxMetrics).join(',') || ',' })}
          />
        )}
      </div>
      {numeric?.length === 0 && <p class="hint">{words.noMetrics}</p>}
      {data?.metrics.map(values => (
        <MetricChart key={values.key} values={values} window={range} namesPx={namesPx} />
      ))}
    </>
  )
}

const maxMetrics = 6

/** Finds out how wide the lanes will be, before there are any. */
function Measure({ onWidth }: { readonly onWidth: (px: number) => void }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => onWidth(Math.max((container.current?.clientWidth ?? 0) - namesPx, 100)), [])
  return <div ref={container} />
}

export { Machine as screen }
