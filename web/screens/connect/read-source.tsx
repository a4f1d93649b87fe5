import { useState } from 'preact/hooks'
import type { Discovery } from '../../../schema/requests/connector-trial.ts'
import { newId } from '../../data/new-id.ts'
import { connectedStaleMs, newMachineStaleMs } from '../../data/silence.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { FoundDevices } from './found-devices.tsx'
import { FoundValues } from './found-values.tsx'
import { assignmentOf, connectorOf, machineIdOf, type Plan } from './plan.ts'
import { SourceForm } from './source-form.tsx'
import { Watch } from './watch.tsx'

function newPlan(): Plan {
  const source = { kind: 'mtconnect', address: 'http://', user: '', password: '' } as const
  return { connectorId: newId(), name: '', source, assignments: [], mapped: [] }
}

/** Connects a source: address, devices and values, live values, save. */
export function ReadSource() {
  const { t } = useLocale()
  const { client } = useViewer()
  const machines = useLoad(() => client.call('GET /machines'), [client])
  const [plan, setPlan] = useState(newPlan)
  const [found, setFound] = useState<Discovery | null>(null)
  const [isSaved, setSaved] = useState(false)
  const change = (changes: Partial<Plan>) => {
    // Another source than that of the connector that was saved is another connector.
    const begun = isSaved && changes.source !== undefined ? newPlan() : null
    setSaved(false)
    setPlan(before => ({ ...(begun ?? before), ...changes }))
  }
  const onFound = (discovery: Discovery) => {
    setFound(discovery)
    const { devices } = discovery
    const host = URL.parse(plan.source.address)?.hostname ?? ''
    const whole = { source: host, isUsed: true, machineId: null, newName: '', countsSingleParts: false }
    change({
      name: plan.name === '' ? host : plan.name,
      assignments:
        plan.source.kind === 'mtconnect'
          ? devices.map(device => assignmentOf(device, device.state.length > 0))
          : [{ ...whole, newMachineId: newId() }],
    })
  }
  const isReady = found !== null && found.problem === null
  return (
    <>
      <p class="lead">{t.source.intro}</p>
      <ol class="steps">
        <li class="card">
          <h2>{t.source.stepSource}</h2>
          <SourceForm plan={plan} onChange={change} onFound={onFound} onReset={() => setFound(null)} />
          {found?.problem && (
            <div class="notice problem" role="alert">
              <p>
                <strong>{t.source.cannotRead}.</strong> {found.problem.message}
              </p>
            </div>
          )}
        </li>
        {isReady && (
          <>
            <li class="card">
              <h2>{t.source.stepFound}</h2>
              {plan.source.kind === 'mtconnect' ? (
                <FoundDevices found={found} plan={plan} machines={machines.value ?? []} onChange={change} />
              ) : (
                <FoundValues found={found} plan={plan} machines={machines.value ?? []} onChange={change} />
              )}
            </li>
            <li class="card">
              <h2>{t.source.stepWatch}</h2>
              <Watch plan={plan} machines={machines.value ?? []} />
            </li>
            <li class="card">
              <h2>{t.source.stepSave}</h2>
              <Save plan={plan} isSaved={isSaved} onName={name => change({ name })} onSaved={() => setSaved(true)} />
            </li>
          </>
        )}
      </ol>
    </>
  )
}

interface SaveProps {
  readonly plan: Plan
  readonly isSaved: boolean
  readonly onName: (name: string) => void
  readonly onSaved: () => void
}

function Save({ plan, isSaved, onName, onSaved }: SaveProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const staleAfterMs = plan.source.kind === 'mqtt' ? newMachineStaleMs : connectedStaleMs
  const used = plan.assignments.filter(({ isUsed }) => isUsed)
  const isNamed = used.every(({ machineId, newName }) => machineId !== null || newName.trim() !== '')
  const save = async () => {
    for (const each of used)
      if (each.machineId === null)
        await client.call('PUT /machines/:id', {
          params: { id: machineIdOf(each) },
          body: {
            name: each.newName,
            staleAfterMs,
            ...(each.countsSingleParts && { partCounter: 'increment' }),
          },
        })
    await client.call('PUT /connectors/:id', { params: { id: plan.connectorId }, body: connectorOf(plan) })
    onSaved()
  }
  return (
    <>
      <div class="row">
        <Field
          label={t.source.name}
          autocomplete="off"
          value={plan.name}
          onValue={onName}
          error={action.errorOf('name')}
        />
        <Button
          look="primary"
          text={t.source.save}
          disabled={action.isBusy || used.length === 0 || !isNamed}
          onClick={() => action.run(save)}
        />
      </div>
      <p class="hint">
        {used.length === 0
          ? t.source.chooseOne
          : isNamed
            ? t.source.saveHint(format.count(staleAfterMs / 1_000))
            : t.source.nameMachines}
      </p>
      <Failure error={action.error} />
      {isSaved && (
        <p class="arrival" data-on={true} role="status">
          {t.source.saved} <Link to="app/connectors">{t.screens.connectors}</Link>
        </p>
      )}
    </>
  )
}
