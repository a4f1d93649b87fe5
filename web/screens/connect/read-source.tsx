import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { Discovery } from '../../../schema/requests/connector-trial.ts'
import { newId } from '../../data/new-id.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Await } from '../../ui/notice.tsx'
import { FoundDevices } from './found-devices.tsx'
import { FoundValues } from './found-values.tsx'
import { withFound } from './found.ts'
import { machineIdOf, noSource, type Plan } from './plan.ts'
import { SaveConnector } from './save-connector.tsx'
import { SourceForm } from './source-form.tsx'
import { withDevices } from './stored-plan.ts'
import { useReading } from './use-reading.ts'
import { Watch } from './watch.tsx'

/** The plan of a new connector. `posted`: the machine whose posted samples it maps. */
export function newPlan(posted: string | null = null): Plan {
  const source =
    posted === null
      ? ({ ...noSource, kind: 'mtconnect', address: 'http://' } as const)
      : ({ ...noSource, kind: 'http', machineId: posted } as const)
  return { connectorId: newId(), name: '', source, assignments: [], rules: [], stored: null, keptMachines: [] }
}

interface ReadSourceProps {
  readonly first: () => Plan
}

/** Connects a source, or changes a connector, when the machines are loaded: a choice has no value before. */
export function ReadSource({ first }: ReadSourceProps) {
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /machines'), [client])
  return <Await loaded={loaded}>{all => <SourceSteps first={first} all={all} onMachines={loaded.reload} />}</Await>
}

interface StepsProps extends ReadSourceProps {
  readonly all: readonly MachineListItem[]
  /** The machines have changed. */
  readonly onMachines: () => void
}

/** The steps: address, devices and values, live values, save. */
function SourceSteps({ first, all, onMachines }: StepsProps) {
  const { t } = useLocale()
  const [plan, setPlan] = useState(first)
  const [found, setFound] = useState<Discovery | null>(null)
  const [isSaved, setSaved] = useState(false)
  const { stored, source } = plan
  const machines = all.filter(({ connection: { connectorId } }) => isFree(connectorId, plan))
  const change = (changes: Partial<Plan>) => {
    // Another source than that of the connector that was saved is another connector.
    const begun = isSaved && stored === null && changes.source !== undefined ? newPlan() : null
    setSaved(false)
    setPlan(before => ({ ...(begun ?? before), ...changes }))
  }
  const onFound = (line: Discovery) => {
    setFound(before => withFound(before, line))
    setPlan(before => withAssignments(before, line.devices, machines))
  }
  const reading = useReading(onFound)
  const onSaved = () => {
    setSaved(true)
    // The new machines exist now: saving again must not replace their settings.
    const assignments = plan.assignments.map(each => (each.isUsed ? { ...each, machineId: machineIdOf(each) } : each))
    setPlan(before => ({ ...before, assignments }))
    onMachines()
  }
  const isReady = found === null ? stored !== null : found.problem === null
  const parts = { found, plan, machines, reading, onChange: change }
  return (
    <ol class="steps">
      <li class="card">
        <h2>{t.source.stepSource}</h2>
        <SourceForm
          plan={plan}
          machines={machines}
          reading={reading}
          onChange={change}
          onReset={() => setFound(null)}
        />
        {found?.problem && (
          <div class="notice problem" role="alert">
            <p>
              <strong>{t.source.cannotRead}.</strong> {t.source.message(found.problem.message)}
            </p>
          </div>
        )}
      </li>
      {isReady && (
        <>
          <li class="card">
            <h2>{t.source.stepFound}</h2>
            {source.kind === 'mtconnect' ? <FoundDevices {...parts} /> : <FoundValues {...parts} />}
          </li>
          {source.kind !== 'http' && (
            <li class="card">
              <h2>{t.source.stepWatch}</h2>
              <Watch plan={plan} machines={machines} />
            </li>
          )}
          <li class="card">
            <h2>{t.source.stepSave}</h2>
            <SaveConnector plan={plan} isSaved={isSaved} onName={name => change({ name })} onSaved={onSaved} />
          </li>
        </>
      )}
    </ol>
  )
}

/** Adds the devices, or the machine of all values, and a name, to the plan of a source that is read. */
function withAssignments(plan: Plan, devices: Discovery['devices'], machines: readonly MachineListItem[]): Plan {
  const { source, stored, assignments } = plan
  const { kind, address, machineId } = source
  const host = URL.parse(address)?.hostname ?? machines.find(({ id }) => id === machineId)?.name ?? ''
  const named = { ...plan, name: plan.name === '' ? host : plan.name }
  if (kind === 'mtconnect') {
    const free = new Set(machines.map(({ id }) => id))
    return { ...named, assignments: withDevices(plan, devices, id => free.has(id)) }
  }
  if (kind === 'http' || stored !== null || assignments.length > 0) return named
  const whole = { source: host, isUsed: true, machineId: null, newName: '', countsSingleParts: false }
  return { ...named, assignments: [{ ...whole, newMachineId: newId() }] }
}

/** Whether a connector may read a machine: no other one does. */
function isFree(connectorId: string | null, plan: Plan): boolean {
  return connectorId === null || connectorId === plan.connectorId
}
