import { connectedStaleMs, newMachineStaleMs } from '../../data/silence.ts'
import { useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { connectorOf, machineIdOf, machinesOf, type Plan } from './plan.ts'

interface SaveProps {
  readonly plan: Plan
  readonly isSaved: boolean
  readonly onName: (name: string) => void
  readonly onSaved: () => void
}

/** The name of the connector, and the button that saves it and its new machines. */
export function SaveConnector({ plan, isSaved, onName, onSaved }: SaveProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const staleAfterMs = plan.source.kind === 'mqtt' ? newMachineStaleMs : connectedStaleMs
  const { stored, source } = plan
  const used = plan.assignments.filter(({ isUsed }) => isUsed)
  const hasMachines = machinesOf(plan).length > 0
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
          text={stored === null ? t.source.save : t.keys.save}
          disabled={action.isBusy || !hasMachines || !isNamed}
          onClick={() => action.run(save)}
        />
      </div>
      <p class="hint">
        {!hasMachines
          ? t.source.chooseOne
          : source.kind === 'http'
            ? t.source.savePostedHint
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
