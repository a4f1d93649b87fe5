import { languages } from '../../../schema/languages.ts'
import type { AlertTargetResponse } from '../../../schema/records/alert-target.ts'
import type { IncidentAssignee } from '../../../schema/requests/incidents.ts'
import { newId } from '../../data/new-id.ts'
import { useViewer } from '../../data/viewer.ts'
import type { Draft, FieldSpec } from '../../records/fields.tsx'
import { FormDialog } from '../../records/record-form.tsx'
import type { Texts } from '../../texts/en.ts'
import { useLocale } from '../../texts/locale.ts'
import { partsOf } from './rule-form.ts'

interface TargetForm {
  readonly name: string
  readonly kind: AlertTargetResponse['kind']
  readonly userId?: string
  /** Separated by commas. */
  readonly addresses?: string
  readonly url?: string
  readonly language: AlertTargetResponse['language']
}

interface DialogProps {
  /** null: a new target. */
  readonly target: AlertTargetResponse | null
  readonly users: readonly IncidentAssignee[]
  readonly onClose: () => void
  /** Called with the secret of a new webhook. */
  readonly onSaved: (secret: string | undefined) => void
}

/** The form of an alert target. */
export function TargetDialog({ target, users, onClose, onSaved }: DialogProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const words = t.alerts
  return (
    <FormDialog<TargetForm>
      title={target === null ? words.addTarget : words.editTarget(target.name)}
      record={target && { ...target, addresses: target.addresses.join(', ') }}
      fields={draft => fieldsOf(draft, { users, userId: target?.userId ?? null }, t)}
      submit={target === null ? t.records.create : t.keys.save}
      onClose={onClose}
      onSubmit={async ({ addresses = '', ...form }) => {
        const body = { collectMs: target?.collectMs ?? null, ...form, addresses: [...partsOf(addresses)] }
        const saved = await client.call('PUT /alert-targets/:id', { params: { id: target?.id ?? newId() }, body })
        onSaved(saved.secret)
      }}
    />
  )
}

interface Users {
  readonly users: readonly IncidentAssignee[]
  /** User of the saved target; null: none. */
  readonly userId: string | null
}

/** The fields of a kind of target; of an empty draft, those of all kinds, so that each gets its value. */
function fieldsOf({ kind }: Draft, { users, userId }: Users, t: Texts): readonly FieldSpec<keyof TargetForm>[] {
  const words = t.alerts
  const { targetFields: fields } = words
  const isOf = (wanted: string) => kind === undefined || kind === wanted
  const isAbsent = userId !== null && !users.some(({ id }) => id === userId)
  const kinds =
    users.length === 0 && !isAbsent ? (['mail', 'webhook'] as const) : (['user', 'mail', 'webhook'] as const)
  return [
    { kind: 'text', name: 'name', label: t.terms.name, required: true },
    {
      kind: 'choice',
      name: 'kind',
      label: fields.kind,
      options: kinds.map(value => ({ value, title: words.targetKinds[value] })),
    },
    ...(isOf('user')
      ? [
          {
            kind: 'choice' as const,
            name: 'userId' as const,
            label: fields.user,
            options: [
              ...(isAbsent ? [{ value: userId, title: words.absentUser }] : []),
              ...users.map(({ id, displayName }) => ({ value: id, title: displayName })),
            ],
          },
        ]
      : []),
    ...(isOf('mail')
      ? [{ kind: 'text' as const, name: 'addresses' as const, label: fields.addresses, required: kind === 'mail' }]
      : []),
    ...(isOf('webhook')
      ? [{ kind: 'text' as const, name: 'url' as const, label: fields.url, required: kind === 'webhook' }]
      : []),
    {
      kind: 'choice',
      name: 'language',
      label: fields.language,
      options: languages.map(value => ({ value, title: words.languages[value] })),
    },
  ]
}
