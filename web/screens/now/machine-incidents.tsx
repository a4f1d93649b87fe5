import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { IncidentList } from './incident-list.tsx'
import { useIncidentNames, useOpenIncidents } from './use-incidents.ts'

type Machine = Pick<MachineListItem, 'id' | 'name'>

/** The open incidents of a machine, and a button for each kind of call. */
export function MachineIncidents({ machine }: { readonly machine: Machine }) {
  const { t } = useLocale()
  const viewer = useViewer()
  const { incidents, error, reload } = useOpenIncidents(machine.id)
  const names = useIncidentNames()
  const [openId, setOpenId] = useState<string | null>(null)
  const [kind, setKind] = useState<string | null>(null)
  return (
    <section class="card" aria-labelledby="incidents-title">
      <h2 id="incidents-title">{t.now.open}</h2>
      <Failure error={error} />
      {incidents?.length === 0 && <p class="hint">{t.now.none}</p>}
      {incidents && (
        <IncidentList
          incidents={incidents}
          open={incidents}
          names={names}
          onChanged={reload}
          onOpen={setOpenId}
          openId={openId}
        />
      )}
      {hasScope(viewer, 'incident') && names.calls.size > 0 && (
        <div class="calls" role="group" aria-label={t.now.call}>
          <span class="presets-label" aria-hidden="true">
            {t.now.call}
          </span>
          {[...names.calls].map(([id, name]) => (
            <Button key={id} text={name} onClick={() => setKind(id)} />
          ))}
        </div>
      )}
      {kind !== null && (
        <CallDialog
          machine={machine}
          kind={kind}
          name={names.calls.get(kind) ?? kind}
          onClose={() => setKind(null)}
          onCalled={() => {
            setKind(null)
            reload()
          }}
        />
      )}
    </section>
  )
}

interface CallProps {
  readonly machine: Machine
  /** Id in the setting `callKinds`. */
  readonly kind: string
  readonly name: string
  readonly onClose: () => void
  readonly onCalled: () => void
}

function CallDialog({ machine, kind, name, onClose, onCalled }: CallProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [note, setNote] = useState('')
  const send = async () => {
    await client.call('POST /calls', { body: { machineId: machine.id, kind, note } })
    onCalled()
  }
  return (
    <Dialog title={t.now.callTitle(name, machine.name)} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          action.run(send)
        }}
      >
        <TextArea
          label={t.now.callNote}
          hint={t.now.callNoteHint}
          error={action.errorOf('note')}
          rows={3}
          maxLength={2000}
          value={note}
          onValue={setNote}
        />
        <Failure error={action.error} />
        <DialogFoot submit={t.now.submitCall} disabled={action.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
