import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useErrorBoundary } from 'preact/hooks'
import { useHistory } from '../data/history.ts'
import { ViewerContext } from '../data/viewer.ts'
import { parseLocation } from '../router/address.ts'
import { Link, navigate, useAppLocation } from '../router/router.tsx'
import { HistoryProgress } from './history-progress.tsx'
import { screens } from './screens.ts'
import { Shell } from './shell.tsx'
import { useLocale } from '../texts/locale.ts'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { useModule } from '../ui/use-module.ts'

const signIn = screens.find(({ path }) => path === 'app/sign-in') ?? null

/** Loads the module of the address while the viewer is not known yet. */
export function loadEarly(): void {
  const { path } = parseLocation(location)
  // Without the module, the screen shows the failure itself.
  screens
    .find(screen => screen.path === path)
    ?.load()
    .catch(() => undefined)
}

/** Shows the screen of the address, or the sign-in form without a session; the address stays. */
export function CurrentScreen() {
  const { t } = useLocale()
  const { path } = useAppLocation()
  const viewer = useContext(ViewerContext)
  const named = screens.find(screen => screen.path === path) ?? null
  const screen = viewer === null && named?.isPublic !== true ? signIn : named
  const isAllowed = viewer === null || (screen?.allows?.(viewer) ?? true)
  const hasSignedIn = viewer !== null && screen === signIn
  useEffect(() => {
    if (hasSignedIn) navigate('', {}, { replace: true })
  }, [hasSignedIn])
  const { component: Content, error } = useModule(isAllowed ? screen : null)
  const history = useHistory(viewer)
  const waitsForHistory = screen?.hasFigures === true && viewer !== null && history !== 1
  const title = screen ? t.screens[screen.title] : 'Takt'
  useEffect(() => {
    document.title = `${title} – ${viewer?.company.name ?? 'Takt'}`
  }, [title, viewer])

  const content = !screen ? (
    <Empty text={t.app.notFound}>
      <Link to="" class="button">
        {t.app.toFloor}
      </Link>
    </Empty>
  ) : !isAllowed ? (
    <Empty text={screen.title === 'keys' ? t.keys.notAllowed : t.app.notAllowed} />
  ) : error !== null ? (
    // A missing module belongs to an older build: the page itself is outdated.
    <Failure error={error} onRetry={() => location.reload()} />
  ) : waitsForHistory && history !== null ? (
    <HistoryProgress title={title} share={history} />
  ) : Content && !waitsForHistory ? (
    <Guard key={screen.path}>
      <Content />
    </Guard>
  ) : (
    <Loading />
  )
  return viewer === null || screen?.isBare === true ? content : <Shell screen={screen}>{content}</Shell>
}

/** Shows that a screen failed while it was drawn, in its place: the way to the other screens stays. */
function Guard({ children }: { readonly children: ComponentChildren }) {
  const [error, reset]: [unknown, () => void] = useErrorBoundary(reportError)
  return error === undefined ? <>{children}</> : <Failure error={error} onRetry={reset} />
}
