import { useEffect, useRef, useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { PreviewUpdate, TrialSample } from '../../../schema/requests/connector-trial.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { connectorOf, type Plan } from './plan.ts'
import { TrialMachines } from './trial-machines.tsx'

const shownSamples = 30

/** Values and states of a source, live, before anything is saved. */
export function Watch({ plan, machines }: { readonly plan: Plan; readonly machines: readonly MachineListItem[] }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const [update, setUpdate] = useState<PreviewUpdate | null>(null)
  const [samples, setSamples] = useState<ReadonlyMap<string, TrialSample>>(new Map())
  const [error, setError] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  const [isRunning, setRunning] = useState(false)
  const stop = () => {
    running.current?.abort()
    setRunning(false)
  }
  useEffect(() => () => running.current?.abort(), [])
  const start = async () => {
    const control = new AbortController()
    running.current = control
    setRunning(true)
    setError(null)
    setSamples(new Map())
    const onLine = (line: unknown) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service keeps to its schemas, as its tests check
      const next = line as PreviewUpdate
      setUpdate(next)
      setSamples(
        before => new Map([...before, ...next.samples.map(each => [`${each.machineId} ${each.key}`, each] as const)]),
      )
    }
    try {
      await client.readLines('connectors/preview', { connector: connectorOf(plan) }, { signal: control.signal, onLine })
    } catch (failure) {
      setError(failure)
    }
    if (running.current === control) setRunning(false)
  }
  return (
    <>
      <p class="hint">{plan.source.kind === 'mtconnect' ? t.source.watchRecentHint : t.source.watchHint}</p>
      <div class="section-head">
        {isRunning ? (
          <Button icon="stop" text={t.source.stop} onClick={stop} />
        ) : (
          <Button look="primary" text={t.source.watch} onClick={() => void start()} />
        )}
        {update && isRunning && (
          <span class="state-chip" data-state={update.state} role="status">
            {update.state === 'connected' ? t.source.watching : t.source.states[update.state]}
          </span>
        )}
      </div>
      <Failure error={error} />
      {update?.problem && <p class="notice">{t.source.message(update.problem)}</p>}
      {update && <TrialMachines trial={update.machines} plan={plan} machines={machines} />}
      {update && <Samples samples={[...samples.values()]} />}
    </>
  )
}

function Samples({ samples }: { readonly samples: readonly TrialSample[] }) {
  const { t, format } = useLocale()
  if (samples.length === 0) return <p class="hint">{t.source.noValues}</p>
  const newest = samples.toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1)).slice(0, shownSamples)
  return (
    <Table
      columns={[
        {
          title: t.connect.metric,
          cell: ({ key, type }) => (
            <>
              {key} <span class="hint">{type}</span>
            </>
          ),
        },
        { title: t.connect.value, cell: ({ value }) => String(value) },
        { title: t.terms.time, cell: ({ timestamp }) => format.time(timestamp) },
      ]}
      rows={newest}
      keyOf={({ machineId, key }) => `${machineId} ${key}`}
    />
  )
}
