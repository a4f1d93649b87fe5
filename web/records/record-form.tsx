import { useRef, useState } from 'preact/hooks'
import { RequestFailed } from '../data/client.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Failure } from '../ui/notice.tsx'
import { useAction } from '../ui/use-action.ts'
import { bodyOf, type Draft, draftOf, type FieldSpec, FormField } from './fields.tsx'

interface FormProps<Body> {
  /** The fields, which may depend on the values. */
  readonly fields: readonly FieldSpec[] | ((draft: Draft) => readonly FieldSpec[])
  /** Record whose values the form shows at first; null: a new record. */
  readonly record: object | null
  readonly submit: string
  readonly onSubmit: (body: Body) => Promise<void>
  /** Shows only the messages of `check`, not those of the browser. */
  readonly noValidate?: boolean
  /** Message after each successful submission. */
  readonly saved?: string
  readonly onClose?: () => void
  /** A further button for the body of the form, which is valid when it is clicked; null: none. */
  readonly otherOf?: (body: Body) => { readonly text: string; readonly onClick: () => void } | null
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
export function RecordForm<Body>(props: FormProps<Body>) {
  const { record, submit, noValidate = false, saved, onSubmit, onClose } = props
  const fieldsFor = (values: Draft) => (typeof props.fields === 'function' ? props.fields(values) : props.fields)
  const action = useAction()
  const [draft, setDraft] = useState(() => draftOf(fieldsFor({}), record))
  const fields = fieldsFor(draft)
  const [isChecked, setChecked] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields are those of the body
  const body = () => bodyOf(fields, draft) as Body
  const other = props.otherOf?.(body()) ?? null
  const send = async () => {
    setSaved(false)
    await onSubmit(body())
    setSaved(true)
  }
  const check = (field: FieldSpec) => field.check?.(draft[field.name])
  const show = (field: FieldSpec) => {
    const error = (isChecked ? check(field) : undefined) ?? action.errorOf(field.name)
    return <FormField key={field.name} spec={field} draft={draft} error={error} onChange={setDraft} />
  }
  return (
    <>
      <form
        ref={form}
        class="record-form"
        noValidate={noValidate}
        onSubmit={event => {
          event.preventDefault()
          setChecked(true)
          if (!fields.some(check)) action.run(send)
        }}
      >
        {fields.map((field, index) => {
          if (field.row === undefined) return show(field)
          if (field.row === fields[index - 1]?.row) return null
          return (
            <div key={field.row} class="pair">
              {fields.filter(({ row }) => row === field.row).map(show)}
            </div>
          )
        })}
        <FormErrors error={action.error} shown={fields.map(({ name }) => name)} />
        <DialogFoot submit={submit} disabled={action.isBusy} onClose={onClose}>
          {other && <Button text={other.text} onClick={() => form.current?.reportValidity() && other.onClick()} />}
        </DialogFoot>
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
