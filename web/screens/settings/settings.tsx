import { useEffect, useRef } from 'preact/hooks'
import { useViewer } from '../../data/viewer.ts'
import { Link, useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { useModule } from '../../ui/use-module.ts'
import { type SettingsPart, settingsParts } from './parts.ts'

/** Settings of administrators: a list of parts, and the one that the address names. */
function Settings() {
  const { t } = useLocale()
  const words = t.settings
  const viewer = useViewer()
  const [query] = useQuery()
  const parts = settingsParts.filter(({ allows }) => allows(viewer))
  const named = query.get('part')
  const shown = named === null ? parts[0] : parts.find(({ name }) => name === named)
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const show = () => nav.current && showCurrent(nav.current)
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [shown])
  return (
    <div class="page settings">
      <h1>{t.screens.settings}</h1>
      <nav class="settings-nav" aria-label={t.screens.settings} ref={nav}>
        <ul>
          {parts.map(({ name }) => (
            <li key={name}>
              <Link
                to="app/settings"
                query={{ part: name }}
                class="nav-link"
                aria-current={name === shown?.name ? 'page' : undefined}
              >
                {words.parts[name]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div class="settings-part">
        {shown ? <Part key={shown.name} part={shown} /> : <Empty text={t.app.notAllowed} />}
      </div>
    </div>
  )
}

/** Brings the part that is open into view, where the parts stand in one line that scrolls. */
function showCurrent(nav: HTMLElement): void {
  const link = nav.querySelector('[aria-current="page"]')?.getBoundingClientRect()
  if (!link) return
  const { left, width } = nav.getBoundingClientRect()
  nav.scrollLeft += link.left - left - (width - link.width) / 2
}

function Part({ part }: { readonly part: SettingsPart }) {
  const { component: Content, error } = useModule(part)
  if (Content) return <Content />
  return error === null ? <Loading /> : <Failure error={error} onRetry={() => location.reload()} />
}

export { Settings as screen }
