import { Client } from '../../data/client.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useForm } from '../../ui/use-form.ts'

/** Links the signed-in user, who confirms with the password that the session is legitimate. */
export function LinkForm({ query, onLinked }: { readonly query: string; readonly onLinked: () => Promise<void> }) {
  const { t } = useLocale()
  const form = useForm({ currentPassword: '' }, async ({ currentPassword }) => {
    await new Client(null).call('POST /session/openid/link', { body: { query, currentPassword } })
    await onLinked()
  })
  return (
    <form onSubmit={form.onSubmit}>
      <p>{t.signIn.linkHow}</p>
      <Field
        label={t.account.current}
        type="password"
        autocomplete="current-password"
        {...form.field('currentPassword')}
      />
      <Failure error={form.error} />
      <Button look="primary" text={t.signIn.linkSubmit} disabled={form.isBusy} />
    </form>
  )
}
