import { useEffect, useState } from 'preact/hooks'
import { useApplication } from '../../data/application.ts'
import { Client } from '../../data/client.ts'
import { noteSignedIn } from '../../data/viewer.ts'
import { Link } from '../../router/link.tsx'
import { navigate } from '../../router/router.ts'
import { useLocale } from '../../texts/locale.ts'
import { Logo } from '../../ui/logo.tsx'
import { Failure } from '../../ui/notice.tsx'
import { takeVisit } from './visit.ts'

/** The provider of identities sends the browser back here: signs in, or links the user. */
function SignOn() {
  const { t } = useLocale()
  const { enter } = useApplication()
  const [visit] = useState(takeVisit)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const query = location.search.slice(1)
    // The provider's answer counts once: nobody else may find it in the address.
    history.replaceState(null, '', location.pathname)
    const finish = async () => {
      const client = new Client(null)
      if (visit.links) await client.call('POST /session/openid/link', { body: { query } })
      else {
        await client.call('POST /session/openid', { body: { query } })
        noteSignedIn()
      }
      await enter()
      navigate(visit.path, Object.fromEntries(new URLSearchParams(visit.search)), { replace: true })
    }
    finish().catch(setError)
  }, [])
  return (
    <main class="gate">
      <div class="gate-brand">
        <Logo size={40} />
        <h1>Takt</h1>
      </div>
      <section class="card" aria-labelledby="sign-on-title">
        <h2 id="sign-on-title">
          {error === null ? t.signIn.working : visit.links ? t.signIn.linkFailed : t.signIn.failed}
        </h2>
        {error !== null && (
          <>
            <Failure error={error} />
            <p>{t.signIn.failedHow}</p>
            <Link to={visit.links ? 'app/account' : 'app/sign-in'} class="button primary">
              {visit.links ? t.signIn.backToAccount : t.signIn.back}
            </Link>
          </>
        )}
      </section>
    </main>
  )
}

export { SignOn as screen }
