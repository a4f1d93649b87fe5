import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useApplication } from '../data/application.ts'
import { addressOf } from '../router/address.ts'
import { useIsLost } from '../data/use-is-lost.ts'
import { useViewer } from '../data/viewer.ts'
import { Link } from '../router/router.tsx'
import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Logo } from '../ui/logo.tsx'
import { Failure } from '../ui/notice.tsx'
import { useAction } from '../ui/use-action.ts'
import { navigation, type Screen } from './screens.ts'

/** The frame around a screen: navigation, and who is signed in. */
export function Shell({ screen, children }: { readonly screen: Screen | null; readonly children?: ComponentChildren }) {
  const { t } = useLocale()
  const { company } = useViewer()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [screen])
  return (
    <div class="shell" data-open={isOpen}>
      <a class="skip" href="#content">
        {t.app.skip}
      </a>
      <header class="side">
        <div class="brand">
          <Logo />
          <span class="brand-text">
            <strong>Takt</strong>
            <span class="company">{company.name}</span>
          </span>
          <button
            type="button"
            class="button icon-only menu"
            aria-expanded={isOpen}
            aria-controls="navigation"
            aria-label={t.app.menu}
            onClick={() => setOpen(!isOpen)}
            onKeyDown={event => event.key === 'Escape' && setOpen(false)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} size={22} />
          </button>
        </div>
        <div id="navigation" class="side-body">
          <Navigation screen={screen} />
          <Viewing />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Offline />
        {children}
      </main>
    </div>
  )
}

function Offline() {
  const { t } = useLocale()
  const isLost = useIsLost()
  return (
    <div role="status" class="offline" hidden={!isLost}>
      {isLost && t.connection.offline}
    </div>
  )
}

function Navigation({ screen }: { readonly screen: Screen | null }) {
  const { t, language } = useLocale()
  const viewer = useViewer()
  return (
    <nav aria-label={t.app.navigation}>
      {navigation.map((list, index) => (
        <ul key={index}>
          {list
            .filter(({ allows }) => allows?.(viewer) ?? true)
            .map(({ path, title, icon }) => (
              <li key={path}>
                <Link to={path} class="nav-link" aria-current={path === screen?.path ? 'page' : undefined}>
                  {icon && <Icon name={icon} />}
                  {t.screens[title]}
                </Link>
              </li>
            ))}
        </ul>
      ))}
      <h2 class="nav-title">{t.app.more}</h2>
      <ul>
        <li>
          <a class="nav-link" href={addressOf('docs/guides', { language })}>
            <Icon name="book" />
            {t.app.guides}
          </a>
        </li>
        <li>
          <a class="nav-link" href={addressOf('docs')}>
            <Icon name="developers" />
            {t.app.reference}
          </a>
        </li>
      </ul>
    </nav>
  )
}

function Viewing() {
  const { t } = useLocale()
  const { leave } = useApplication()
  const { kind, name, role } = useViewer()
  const action = useAction()
  return (
    <div class="viewing">
      <p class="who">
        <span class="who-name">{name}</span>
        <span class="who-role">{role === null ? t.app.withKey : t.roles[role]}</span>
      </p>
      <Button
        look="quiet"
        icon="out"
        text={kind === 'key' ? t.app.forgetKey : t.app.signOut}
        disabled={action.isBusy}
        onClick={() => action.run(leave)}
      />
      <Failure error={action.error} />
    </div>
  )
}
