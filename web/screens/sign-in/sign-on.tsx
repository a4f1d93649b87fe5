import { useEffect, useState } from 'preact/hooks'
import { useApplication } from '../../data/application.ts'
import { Client } from '../../data/client.ts'
import { noteSignedIn } from '../../data/viewer.ts'
import { Link, navigate } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { GateHead } from '../../ui/gate-head.tsx'
import { Failure } from '../../ui/notice.tsx'
import { LinkForm } from './link-form.tsx'
import { consumeVisit } from './visit.ts'

/** The provider of identities sends the browser back here: signs in, or links the user. */
function SignOn() {
  const { t } = useLocale()
  const { enter } = useApplication()
  const [visit] = useState(consumeVisit)
  const [query] = useState(() => location.search.slice(1))
  const [error, setError] = useState<unknown>(null)
  const goOn = async () => {
    await enter()
    navigate(visit.path, Object.fromEntries(new URLSearchParams(visit.search)), { replace: true })
  }
  useEffect(() => {
    // The response of the provider is valid once: it is removed from the address.
    history.replaceState(null, '', location.pathname)
    if (visit.links) return
    const finish = async () => {
      await new Client(null).call('POST /session/openid', { body: { query } })
      noteSignedIn()
      await goOn()
    }
    finish().catch(setError)
  }, [])
  return (
    <main class="gate">
      <GateHead title="Takt" />
      <section class="card" aria-labelledby="sign-on-title">
        <h2 id="sign-on-title">
          {visit.links ? t.signIn.linkTitle : error === null ? t.signIn.working : t.signIn.failed}
        </h2>
        {visit.links && (
          <>
            <LinkForm query={query} onLinked={goOn} />
            <Link to="app/account" class="button">
              {t.signIn.backToAccount}
            </Link>
          </>
        )}
        {error !== null && (
          <>
            <Failure error={error} />
            <p>{t.signIn.failedHow}</p>
            <Link to="app/sign-in" class="button primary">
              {t.signIn.back}
            </Link>
          </>
        )}
      </section>
    </main>
  )
}

export { SignOn as screen }
