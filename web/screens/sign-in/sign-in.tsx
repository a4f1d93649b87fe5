import { useState } from 'preact/hooks'
import { useApplication } from '../../data/application.ts'
import { Client } from '../../data/client.ts'
import { keepKey, noteSignedIn } from '../../data/viewer.ts'
import { GateHead } from '../../ui/gate-head.tsx'
import { Preferences } from '../../ui/preferences.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { ProviderButton } from './provider-button.tsx'
import { useAction } from '../../ui/use-action.ts'

/** Signs a user in, or takes an API key. */
function SignIn() {
  const { t } = useLocale()
  const { hasEnded } = useApplication()
  return (
    <main class="gate">
      <GateHead title="Takt" />
      {hasEnded && (
        <p class="notice" role="status">
          {t.signIn.ended}
        </p>
      )}
      <section class="card" aria-labelledby="sign-in-title">
        <h2 id="sign-in-title">{t.signIn.title}</h2>
        <ProviderButton />
        <UserForm />
      </section>
      <details class="card">
        <summary>{t.signIn.keyTitle}</summary>
        <p class="hint">{t.signIn.keyText}</p>
        <KeyForm />
      </details>
      <details class="card">
        <summary>{t.signIn.help}</summary>
        <p>{t.signIn.helpSetUp}</p>
        <p>
          {t.signIn.helpKey} <code>TAKT_ADMIN_KEY="$(openssl rand -hex 24)"</code>. {t.signIn.helpKeyStays}
        </p>
      </details>
      <Preferences />
    </main>
  )
}

function UserForm() {
  const { t } = useLocale()
  const { enter } = useApplication()
  const action = useAction()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [company, setCompany] = useState('')
  const signIn = async () => {
    await new Client(null).call('POST /session', {
      body: { email, password, ...(company !== '' && { company }) },
    })
    noteSignedIn()
    await enter()
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        action.run(signIn)
      }}
    >
      <Field label={t.signIn.email} type="email" autocomplete="username" required value={email} onValue={setEmail} />
      <Field
        label={t.signIn.password}
        type="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      <details class="inline">
        <summary>{t.signIn.more}</summary>
        <Field label={t.signIn.company} hint={t.signIn.companyHint} value={company} onValue={setCompany} />
      </details>
      {action.error !== null && <Failure error={action.error} />}
      <button type="submit" class="button primary wide" disabled={action.isBusy}>
        {t.signIn.submit}
      </button>
    </form>
  )
}

function KeyForm() {
  const { t } = useLocale()
  const { enter } = useApplication()
  const action = useAction()
  const [key, setKey] = useState('')
  const open = async () => {
    // Checked here, so that an invalid key is reported and not stored.
    await new Client(key.trim()).call('GET /accounts/current')
    keepKey(key.trim())
    await enter()
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        action.run(open)
      }}
    >
      <Field
        label={t.signIn.key}
        type="password"
        autocomplete="off"
        spellcheck={false}
        minLength={32}
        required
        value={key}
        onValue={setKey}
      />
      {action.error !== null && <Failure error={action.error} />}
      <button type="submit" class="button" disabled={action.isBusy}>
        {t.signIn.keySubmit}
      </button>
    </form>
  )
}

export { SignIn as screen }
