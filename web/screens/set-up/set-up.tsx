import { useEffect, useState } from 'preact/hooks'
import { useApplication } from '../../data/application.ts'
import { Client, RequestFailed } from '../../data/client.ts'
import { useLoad } from '../../data/use-load.ts'
import { noteSignedIn } from '../../data/viewer.ts'
import { Link, navigate } from '../../router/router.tsx'
import { Button } from '../../ui/button.tsx'
import { GateHead } from '../../ui/gate-head.tsx'
import type { SetUpState } from '../../../schema/requests/set-up.ts'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure, Loading } from '../../ui/notice.tsx'
import { useForm } from '../../ui/use-form.ts'

const client = new Client(null)

/** The first set-up: the company and its first user. The link that the service prints leads here. */
function SetUp() {
  const { t } = useLocale()
  const token = useToken()
  const { value, error, reload } = useLoad(() => client.call('POST /set-up/check', { body: { token } }), [token])
  return (
    <main class="gate">
      <GateHead title={t.setUp.title} />
      {error !== null && !isRefusal(error) ? (
        <Failure error={error} onRetry={reload} />
      ) : error !== null ? (
        <section class="card" role="alert">
          <h2>{t.setUp.badLink}</h2>
          <p>{t.setUp.badLinkHow}</p>
          <Link to="" class="button">
            {t.screens.signIn}
          </Link>
        </section>
      ) : value === null ? (
        <Loading />
      ) : (
        <SetUpForm key={token} token={token} state={value} />
      )}
    </main>
  )
}

/** The token of the address, which changes where another link is opened in the same tab. */
function useToken(): string {
  const [token, setToken] = useState(readToken)
  useEffect(() => {
    const changed = () => setToken(readToken())
    window.addEventListener('hashchange', changed)
    return () => window.removeEventListener('hashchange', changed)
  }, [])
  return token
}

function readToken(): string {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
}

/** Whether the service rejects the link. A truncated link has an invalid token. */
function isRefusal(error: unknown): boolean {
  return error instanceof RequestFailed && (error.status === 403 || error.status === 400)
}

/** Shorter waits for a part or a tool belong to the cycle of most machines. */
const usualMicrostopSeconds = 120

const zones = Intl.supportedValuesOf('timeZone')

function SetUpForm({ token, state }: { readonly token: string; readonly state: SetUpState }) {
  const { t, language } = useLocale()
  const { enter } = useApplication()
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const first = {
    companyName: state.companyName,
    timeZone: state.timeZone === 'UTC' ? own : state.timeZone,
    startOfDay: state.startOfDay,
    /** Seconds; under the name that errors of the value have. */
    microstopMs: String(state.microstopMs === 0 ? usualMicrostopSeconds : state.microstopMs / 1000),
    displayName: '',
    email: '',
    password: '',
  }
  const { field, ...form } = useForm(first, async ({ microstopMs, ...values }) => {
    const body = { token, ...values, language, microstopMs: Math.round(Number(microstopMs) * 1000) }
    await client.call('POST /set-up', { body })
    noteSignedIn()
    history.replaceState(null, '', location.pathname)
    await enter()
    navigate('', {}, { replace: true })
  })
  return (
    <form class="card" onSubmit={form.onSubmit}>
      <p>{t.setUp.intro}</p>
      <fieldset>
        <legend>{t.terms.company}</legend>
        <Field label={t.setUp.companyName} autocomplete="organization" {...field('companyName')} />
        <div class="pair">
          <Field
            label={t.setUp.timeZone}
            hint={t.setUp.timeZoneHint}
            list="zones"
            autocomplete="off"
            {...field('timeZone')}
          />
          <Field label={t.setUp.startOfDay} hint={t.setUp.startOfDayHint} type="time" {...field('startOfDay')} />
        </div>
        <Field
          label={t.setUp.microstop}
          hint={t.setUp.microstopHint}
          type="number"
          autocomplete="off"
          {...field('microstopMs')}
        />
        <datalist id="zones">
          {zones.map(zone => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </fieldset>
      <fieldset>
        <legend>{t.setUp.user}</legend>
        <Field label={t.setUp.name} autocomplete="name" {...field('displayName')} />
        <Field label={t.signIn.email} type="email" autocomplete="username" {...field('email')} />
        <Field
          label={t.signIn.password}
          hint={t.setUp.passwordHint}
          type="password"
          minLength={12}
          autocomplete="new-password"
          {...field('password')}
        />
      </fieldset>
      <Failure error={form.error} />
      <Button look="primary wide" text={t.setUp.submit} disabled={form.isBusy} />
    </form>
  )
}

export { SetUp as screen }
