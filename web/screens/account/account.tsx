import { useState } from 'preact/hooks'
import { useViewer } from '../../data/viewer-context.ts'
import { Preferences } from '../../ui/preferences.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Identity } from './identity.tsx'
import { useAction } from '../../ui/use-action.ts'

/** The viewer's own account: password, language, colours. */
function Account() {
  const { t } = useLocale()
  const { kind, name, email, role, scopes, hasPassword } = useViewer()
  return (
    <div class="page narrow">
      <h1>{t.account.title}</h1>
      <section class="card">
        <h2>{kind === 'key' ? t.account.key : t.account.you}</h2>
        <p>
          <strong>{name}</strong>
          {email !== null && <> · {email}</>}
          {role !== null && <> · {t.roles[role]}</>}
        </p>
        {kind === 'key' && (
          <ul class="chips" aria-label={t.account.scopes}>
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
  const action = useAction()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNext] = useState('')
  const [isDone, setDone] = useState(false)
  const change = async () => {
    setDone(false)
    await client.call('PUT /session/password', { body: { currentPassword, newPassword } })
    setCurrent('')
    setNext('')
    setDone(true)
  }
  return (
    <form
      class="card"
      onSubmit={event => {
        event.preventDefault()
        action.run(change)
      }}
    >
      <h2>{t.account.passwordTitle}</h2>
      <input type="hidden" autocomplete="username" value={email ?? ''} />
      <Field
        label={t.account.current}
        type="password"
        autocomplete="current-password"
        required
        value={currentPassword}
        fault={action.faultOf('currentPassword')}
        onValue={setCurrent}
      />
      <Field
        label={t.account.next}
        hint={t.setUp.passwordHint}
        type="password"
        minLength={12}
        autocomplete="new-password"
        required
        value={newPassword}
        fault={action.faultOf('newPassword')}
        onValue={setNext}
      />
      {action.error !== null && <Failure error={action.error} />}
      <p role="status" class="done">
        {isDone && t.account.done}
      </p>
      <button type="submit" class="button primary" disabled={action.isBusy}>
        {t.account.submit}
      </button>
    </form>
  )
}

export { Account as screen }
