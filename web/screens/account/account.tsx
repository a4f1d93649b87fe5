import { useState } from 'preact/hooks'
import { useViewer } from '../../data/viewer.ts'
import { Button } from '../../ui/button.tsx'
import { Preferences } from '../../ui/preferences.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Identity } from './identity.tsx'
import { useForm } from '../../ui/use-form.ts'

/** The viewer's own account: password, language, colours. */
function Account() {
  const { t } = useLocale()
  const { kind, name, email, role, scopes, hasPassword } = useViewer()
  return (
    <div class="page narrow">
      <h1>{t.screens.account}</h1>
      <section class="card">
        <h2>{kind === 'key' ? t.account.key : t.account.you}</h2>
        <p>
          <strong>{name}</strong>
          {email !== null && <> · {email}</>}
          {role !== null && <> · {t.roles[role]}</>}
        </p>
        {kind === 'key' && (
          <ul class="chips" aria-label={t.keys.scopes}>
            {scopes.map(scope => (
              <li key={scope} class="chip">
                {scope}
              </li>
            ))}
          </ul>
        )}
      </section>
      {hasPassword && <PasswordForm />}
      {kind === 'user' && <Identity />}
      <section class="card">
        <h2>{t.account.display}</h2>
        <Preferences />
      </section>
    </div>
  )
}

function PasswordForm() {
  const { t } = useLocale()
  const { client, email } = useViewer()
  const [isDone, setDone] = useState(false)
  const form = useForm({ currentPassword: '', newPassword: '' }, async body => {
    setDone(false)
    await client.call('PUT /session/password', { body })
    form.reset()
    setDone(true)
  })
  return (
    <form class="card" onSubmit={form.onSubmit}>
      <h2>{t.account.submit}</h2>
      <input type="hidden" autocomplete="username" value={email ?? ''} />
      <Field
        label={t.account.current}
        type="password"
        autocomplete="current-password"
        {...form.field('currentPassword')}
      />
      <Field
        label={t.account.next}
        hint={t.setUp.passwordHint}
        type="password"
        minLength={12}
        autocomplete="new-password"
        {...form.field('newPassword')}
      />
      <Failure error={form.error} />
      <p role="status" class="done">
        {isDone && t.account.done}
      </p>
      <Button look="primary" text={t.account.submit} disabled={form.isBusy} />
    </form>
  )
}

export { Account as screen }
