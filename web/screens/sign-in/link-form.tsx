import { useState } from 'preact/hooks'
import { Client } from '../../data/client.ts'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'

/** Links the signed-in user, who confirms with the password that the session is legitimate. */
export function LinkForm({ query, onLinked }: { readonly query: string; readonly onLinked: () => Promise<void> }) {
  const { t } = useLocale()
  const action = useAction()
  const [currentPassword, setPassword] = useState('')
  const link = async () => {
    await new Client(null).call('POST /session/openid/link', { body: { query, currentPassword } })
    await onLinked()
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        action.run(link)
      }}
    >
      <p>{t.signIn.linkHow}</p>
      <Field
        label={t.account.current}
        type="password"
        autocomplete="current-password"
        required
        value={currentPassword}
        fault={action.faultOf('currentPassword')}
        onValue={setPassword}
      />
      {action.error !== null && <Failure error={action.error} />}
      <button type="submit" class="button primary" disabled={action.isBusy}>
        {t.signIn.linkSubmit}
      </button>
    </form>
  )
}
