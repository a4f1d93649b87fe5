import { useState } from 'preact/hooks'
import type { ApiKey } from '../../../schema/requests/api-key.ts'
import { type Scope, scopes } from '../../../schema/scopes.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { shopDate } from '../../time/shop-date.ts'
import { useLocale } from '../../texts/locale.ts'
import { Code } from '../../ui/code.tsx'
import { reportCommand, serviceAddress } from '../../ui/commands.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogFoot } from '../../ui/dialog-foot.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { RemoveDialog } from '../../ui/remove-dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { ScopeChoice } from './scope-choice.tsx'

interface DialogProps {
  readonly onClose: () => void
  /** Called when the list of keys is another. */
  readonly onChanged: () => void
}

/** Makes a key, and shows its value this one time. */
export function CreateDialog({ onClose, onChanged }: DialogProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const [made, setMade] = useState<string | null>(null)
  const [madeScopes, setMadeScopes] = useState<readonly Scope[]>([])
  if (made !== null)
    return (
      <Dialog title={t.keys.readyTitle} onClose={onClose} isStubborn>
        <NewKey value={made} scopes={madeScopes} />
        <div class="dialog-foot">
          <button type="button" class="button primary" onClick={onClose}>
            {t.keys.done}
          </button>
        </div>
      </Dialog>
    )
  const create = async (name: string, chosen: readonly Scope[]) => {
    const { key } = await client.call('POST /api-keys', { body: { name, scopes: chosen } })
    onChanged()
    setMadeScopes(chosen)
    setMade(key)
  }
  return (
    <Dialog title={t.keys.createTitle} onClose={onClose}>
      <KeyForm name="" chosen={[]} submit={t.keys.create} onSubmit={create} onClose={onClose} />
    </Dialog>
  )
}

/** Renames a key and changes its scopes. */
export function EditDialog({ apiKey, onClose, onChanged }: DialogProps & { readonly apiKey: ApiKey }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const save = async (name: string, chosen: readonly Scope[]) => {
    await client.call('PATCH /api-keys/:id', { params: { id: apiKey.id }, body: { name, scopes: chosen } })
    onChanged()
    onClose()
  }
  const known = scopes.filter(scope => apiKey.scopes.includes(scope))
  return (
    <Dialog title={t.keys.editTitle(apiKey.name)} onClose={onClose}>
      <KeyForm name={apiKey.name} chosen={known} submit={t.keys.save} onSubmit={save} onClose={onClose} />
    </Dialog>
  )
}

/** Deletes a key once more asked. */
export function RevokeDialog({ apiKey, onClose, onChanged }: DialogProps & { readonly apiKey: ApiKey }) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const revoke = async () => {
    await client.call('DELETE /api-keys/:id', { params: { id: apiKey.id } })
    onChanged()
    onClose()
  }
  return (
    <RemoveDialog
      title={t.keys.revokeTitle(apiKey.name)}
      text={t.keys.revokeText}
      submit={t.keys.revoke}
      onClose={onClose}
      onRemove={revoke}
    >
      {apiKey.lastUsedAt !== null && <p>{t.keys.revokeUsed(format.dateTime(apiKey.lastUsedAt))}</p>}
    </RemoveDialog>
  )
}

interface KeyFormProps {
  readonly name: string
  readonly chosen: readonly Scope[]
  readonly submit: string
  readonly onSubmit: (name: string, scopes: readonly Scope[]) => Promise<void>
  readonly onClose: () => void
}

function KeyForm({ name: firstName, chosen: firstScopes, submit, onSubmit, onClose }: KeyFormProps) {
  const { t } = useLocale()
  const action = useAction()
  const [name, setName] = useState(firstName)
  const [chosen, setChosen] = useState(firstScopes)
  const [isMissing, setMissing] = useState(false)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        setMissing(chosen.length === 0)
        if (chosen.length > 0) action.run(() => onSubmit(name, chosen))
      }}
    >
      <Field
        label={t.keys.name}
        hint={t.keys.nameHint}
        fault={action.faultOf('name')}
        required
        autocomplete="off"
        value={name}
        onValue={setName}
      />
      <ScopeChoice
        chosen={chosen}
        fault={isMissing && chosen.length === 0 ? t.keys.pickOne : action.faultOf('scopes')}
        onChange={setChosen}
      />
      {action.error !== null && <Failure error={action.error} />}
      <DialogFoot submit={submit} isBusy={action.isBusy} onClose={onClose} />
    </form>
  )
}

/** The value of a key that was just made, with a command that tries it where it can read. */
function NewKey({ value, scopes: chosen }: { readonly value: string; readonly scopes: readonly Scope[] }) {
  const { t } = useLocale()
  const { client, company, startOfDay } = useViewer()
  const date = shopDate(client.now(), { timeZone: company.timeZone, startOfDay })
  const check = `curl -s ${serviceAddress}/accounts/current -H "Authorization: Bearer ${value}"`
  return (
    <>
      <p class="notice">{t.keys.readyText}</p>
      <Code label={t.keys.value} text={value} />
      <h3>{t.keys.tryIt}</h3>
      <Code label={t.keys.tryIt} text={chosen.includes('reporting') ? reportCommand(date, value) : check} />
    </>
  )
}
