import { useState } from 'preact/hooks'
import { RequestFailed } from '../data/client.ts'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Failure } from '../ui/notice.tsx'
import { useAction } from '../ui/use-action.ts'
import { bodyOf, draftOf, type FieldSpec, FormField } from './fields.tsx'

interface FormProps<Body> {
  readonly fields: readonly FieldSpec[]
  /** Record whose values the form shows at first; null: a new record. */
  readonly record: object | null
  readonly submit: string
  readonly onSubmit: (body: Body) => Promise<void>
  /** Message after each successful submission. */
  readonly saved?: string
  readonly onClose?: () => void
}

/** A form in a dialog. */
export function FormDialog<Body>({ title, ...form }: FormProps<Body> & { title: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={form.onClose}>
      <RecordForm {...form} />
    </Dialog>
  )
}

/** A form with each error beside its field; errors of members without a field are above its button. */
export function RecordForm<Body>({ fields, record, submit, saved, onSubmit, onClose }: FormProps<Body>) {
  const action = useAction()
  const [draft, setDraft] = useState(() => draftOf(fields, record))
  const [isChecked, setChecked] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const send = async () => {
    setSaved(false)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields are those of the body
    await onSubmit(bodyOf(fields, draft) as Body)
    setSaved(true)
  }
  const missing = (field: FieldSpec) => {
    const value = draft[field.name]
    return field.kind === 'list' && Array.isArray(value) && value.length === 0 ? field.needsOne : undefined
  }
  const errorOf = (field: FieldSpec) => (isChecked ? missing(field) : undefined) ?? action.errorOf(field.name)
  return (
    <>
      <form
        class="record-form"
        onSubmit={event => {
          event.preventDefault()
          setChecked(true)
          if (!fields.some(missing)) action.run(send)
        }}
      >
        {fields.map(field => (
          <FormField key={field.name} spec={field} draft={draft} error={errorOf(field)} onChange={setDraft} />
        ))}
        <FormErrors error={action.error} shown={fields.map(({ name }) => name)} />
        <DialogFoot submit={submit} disabled={action.isBusy} onClose={onClose} />
      </form>
      {saved !== undefined && (
        <p role="status" class="done">
          {isSaved && saved}
        </p>
      )}
    </>
  )
}

/** Errors of members that are not `shown`, or the failure of a request without such errors. */
export function FormErrors({ error, shown }: { readonly error: unknown; readonly shown: readonly string[] }) {
  const errors = error instanceof RequestFailed ? error.errors : []
  if (errors.length === 0) return <Failure error={error} />
  const others = errors.filter(({ field }) => !shown.includes(field))
  if (others.length === 0) return null
  return (
    <ul class="notice problem" role="alert">
      {others.map(({ field, message }) => (
        <li key={field + message}>{message}</li>
      ))}
    </ul>
  )
}
