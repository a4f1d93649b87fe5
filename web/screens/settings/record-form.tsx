import { useState } from 'preact/hooks'
import { RequestFailed } from '../../data/client.ts'
import { useLocale } from '../../texts/locale.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { type Draft, type FieldSpec, FormField } from './fields.tsx'

interface FormDialogProps {
  readonly title: string
  readonly text?: string
  readonly fields: readonly FieldSpec[]
  readonly draft: Draft
  readonly submit: string
  readonly onSubmit: (draft: Draft) => Promise<void>
  readonly onClose: () => void
}

/** A form in a dialog, with each fault of the service beside its field. */
export function FormDialog({ title, text, onClose, ...form }: FormDialogProps) {
  const { t } = useLocale()
  return (
    <Dialog title={title} onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      <RecordForm
        {...form}
        foot={
          <button type="button" class="button" onClick={onClose}>
            {t.keys.cancel}
          </button>
        }
      />
    </Dialog>
  )
}

interface FormProps extends Pick<FormDialogProps, 'fields' | 'draft' | 'submit' | 'onSubmit'> {
  /** Stands before the button that sends it. */
  readonly foot?: preact.ComponentChildren
}

/** A form; the faults of fields that it does not have stand above its button. */
export function RecordForm({ fields, draft: first, submit, onSubmit, foot }: FormProps) {
  const action = useAction()
  const [draft, setDraft] = useState(first)
  const names = fields.map(({ name }) => name)
  return (
    <form
      class="record-form"
      onSubmit={event => {
        event.preventDefault()
        action.run(() => onSubmit(draft))
      }}
    >
      {fields.map(spec => (
        <FormField key={spec.name} spec={spec} draft={draft} fault={action.faultOf(spec.name)} onChange={setDraft} />
      ))}
      <Faults error={action.error} shown={names} />
      <div class="dialog-foot">
        {foot}
        <button type="submit" class="button primary" disabled={action.isBusy}>
          {submit}
        </button>
      </div>
    </form>
  )
}

/** Faults, one by one where there are faults of fields that are not `shown`. */
export function Faults({ error, shown = [] }: { readonly error: unknown; readonly shown?: readonly string[] }) {
  if (error === null) return null
  const faults = error instanceof RequestFailed ? error.faults : []
  const others = faults.filter(({ field }) => !shown.includes(field))
  if (faults.length === 0) return <Failure error={error} />
  if (others.length === 0) return null
  return (
    <ul class="notice problem" role="alert">
      {others.map(({ field, message }) => (
        <li key={field + message}>{message}</li>
      ))}
    </ul>
  )
}
