import { useApplication } from '../../data/application.ts'
import { Client } from '../../data/client.ts'
import { storeKey, noteSignedIn } from '../../data/viewer.ts'
import { Button } from '../../ui/button.tsx'
import { GateHead } from '../../ui/gate-head.tsx'
import { Preferences } from '../../ui/preferences.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { ProviderButton } from './provider-button.tsx'
import { useForm } from '../../ui/use-form.ts'

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
        <h2 id="sign-in-title">{t.screens.signIn}</h2>
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
  const form = useForm({ email: '', password: '', company: '' }, async ({ email, password, company }) => {
    const body = { email, password, ...(company !== '' && { company }) }
    await new Client(null).call('POST /session', { body })
    noteSignedIn()
    await enter()
  })
  return (
    <form onSubmit={form.onSubmit}>
      <Field label={t.signIn.email} type="email" autocomplete="username" {...form.field('email')} />
      <Field label={t.signIn.password} type="password" autocomplete="current-password" {...form.field('password')} />
      <details class="inline">
        <summary>{t.signIn.more}</summary>
        <Field label={t.terms.company} hint={t.signIn.companyHint} {...form.field('company')} required={false} />
      </details>
      <Failure error={form.error} />
      <Button look="primary wide" text={t.screens.signIn} disabled={form.isBusy} />
    </form>
  )
}

function KeyForm() {
  const { t } = useLocale()
  const { enter } = useApplication()
  const form = useForm({ key: '' }, async ({ key }) => {
    // Checked here, so that an invalid key is reported and not stored.
    await new Client(key.trim()).call('GET /accounts/current')
    storeKey(key.trim())
    await enter()
  })
  return (
    <form onSubmit={form.onSubmit}>
      <Field
        label={t.signIn.key}
        type="password"
        autocomplete="off"
        spellcheck={false}
        minLength={32}
        {...form.field('key')}
      />
      <Failure error={form.error} />
      <Button text={t.signIn.keySubmit} disabled={form.isBusy} />
    </form>
  )
}

export { SignIn as screen }
