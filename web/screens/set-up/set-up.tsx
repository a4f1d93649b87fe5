import { useEffect, useState } from 'preact/hooks'
import { useApplication } from '../../data/application.ts'
import { Client, RequestFailed } from '../../data/client.ts'
import { useLoad } from '../../data/use-load.ts'
import { noteSignedIn } from '../../data/viewer.ts'
import { Link } from '../../router/link.tsx'
import { navigate } from '../../router/router.ts'
import { GateHead } from '../../ui/gate-head.tsx'
import type { SetUpState } from '../../../schema/requests/set-up.ts'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Failure, Loading } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'

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

/** Zones that the browser knows, to choose from while typing. */
const zones = Intl.supportedValuesOf('timeZone')

function SetUpForm({ token, state }: { readonly token: string; readonly state: SetUpState }) {
  const { t } = useLocale()
  const { enter } = useApplication()
  const action = useAction()
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [given, setGiven] = useState({
    companyName: state.companyName,
    timeZone: state.timeZone === 'UTC' ? own : state.timeZone,
    startOfDay: state.startOfDay,
    displayName: '',
    email: '',
    password: '',
  })
  const field = (name: keyof typeof given) => ({
    value: given[name],
    fault: action.faultOf(name),
    required: true,
    onValue: (value: string) => setGiven(before => ({ ...before, [name]: value })),
  })
  const setUp = async () => {
    await client.call('POST /set-up', { body: { token, ...given } })
    noteSignedIn()
    history.replaceState(null, '', location.pathname)
    await enter()
    navigate('', {}, { replace: true })
  }
  return (
    <form
      class="card"
      onSubmit={event => {
        event.preventDefault()
        action.run(setUp)
      }}
    >
      <p>{t.setUp.intro}</p>
      <fieldset>
        <legend>{t.setUp.company}</legend>
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
        <datalist id="zones">
          {zones.map(zone => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </fieldset>
      <fieldset>
        <legend>{t.setUp.user}</legend>
        <Field label={t.setUp.name} autocomplete="name" {...field('displayName')} />
        <Field label={t.setUp.email} type="email" autocomplete="username" {...field('email')} />
        <Field
          label={t.setUp.password}
          hint={t.setUp.passwordHint}
          type="password"
          minLength={12}
          autocomplete="new-password"
          {...field('password')}
        />
      </fieldset>
      {action.error !== null && <Failure error={action.error} />}
      <button type="submit" class="button primary wide" disabled={action.isBusy}>
        {t.setUp.submit}
      </button>
    </form>
  )
}

export { SetUp as screen }
