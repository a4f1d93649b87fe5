import { useState } from 'preact/hooks'
import type { ApiKey, apiKeyInput } from '../../../schema/requests/api-key.ts'
import { scopes } from '../../../schema/scopes.ts'
import type { Infer } from '../../../schema/types.ts'
import { useViewer } from '../../data/viewer.ts'
import { FormDialog } from '../../records/record-form.tsx'
import type { RecordFormProps } from '../../records/record-kind.ts'
import { useLocale } from '../../texts/locale.ts'
import { shopDate } from '../../time/shop-date.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { reportCommand, serviceAddress } from '../../ui/commands.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ScopeChoice } from './scope-choice.tsx'

type KeyBody = Infer<typeof apiKeyInput>

/** Creates a key and shows its value once; or changes the name and scopes of a key. */
export function KeyDialog({ item: apiKey, onClose, onChanged }: RecordFormProps<ApiKey>) {
  const { t } = useLocale()
  const { client } = useViewer()
  const [created, setCreated] = useState<(KeyBody & { readonly key: string }) | null>(null)
  if (created !== null)
    return (
      <Dialog title={t.keys.readyTitle} onClose={onClose} isStubborn>
        <NewKey value={created.key} scopes={created.scopes} />
        <div class="dialog-foot">
          <Button look="primary" text={t.keys.done} onClick={onClose} />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={apiKey === null ? t.keys.createTitle : t.records.editOf(apiKey.name)}
      fields={[
        { kind: 'text', name: 'name', label: t.terms.name, hint: t.keys.nameHint, required: true },
        {
          kind: 'list',
          name: 'scopes',
          label: t.keys.scopes,
          check: chosen => (Array.isArray(chosen) && chosen.length === 0 ? t.keys.pickOne : undefined),
          control: ScopeChoice,
        },
      ]}
      record={apiKey && { ...apiKey, scopes: scopes.filter(scope => apiKey.scopes.includes(scope)) }}
      submit={apiKey === null ? t.keys.add : t.keys.save}
      onClose={onClose}
      onSubmit={async (body: KeyBody) => {
        if (apiKey === null) {
          const { key } = await client.call('POST /api-keys', { body })
          if (key !== null) setCreated({ ...body, key })
        } else {
          await client.call('PATCH /api-keys/:id', { params: { id: apiKey.id }, body })
          onClose()
        }
        onChanged()
      }}
    />
  )
}

/** The value of a new key, with a command that uses it. */
function NewKey({ value, scopes: chosen }: { readonly value: string; readonly scopes: readonly string[] }) {
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
