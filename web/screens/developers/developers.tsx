import { useViewer } from '../../data/viewer.ts'
import { addressOf } from '../../router/address.ts'
import { useLocale } from '../../texts/locale.ts'
import { Code } from '../../ui/code.tsx'
import { reportCommand } from '../../ui/commands.ts'
import { shopDate } from '../../time/shop-date.ts'

/** Where to find the interface that this application itself uses. */
function Developers() {
  const { t, language } = useLocale()
  const { client, company, startOfDay } = useViewer()
  const date = shopDate(client.now(), { timeZone: company.timeZone, startOfDay })
  const links = [
    ['docs', t.developers.reference],
    ['openapi.json', t.developers.openapi],
    ['graphql', t.developers.graphql],
    ['docs/guides', t.developers.guides],
    ['health', t.developers.health],
    ['metrics', t.developers.metrics],
  ] as const
  return (
    <div class="page narrow">
      <h1>{t.screens.developers}</h1>
      <p class="lead">{t.developers.intro}</p>
      <section class="card">
        <ul class="links">
          {links.map(([path, text]) => (
            <li key={path}>
              <a href={addressOf(path, path === 'docs/guides' ? { language } : {})}>{path}</a>: {text}
            </li>
          ))}
        </ul>
      </section>
      <section class="card">
        <h2>{t.developers.example}</h2>
        <Code label={t.developers.example} text={reportCommand(date, '$TAKT_ADMIN_KEY')} />
      </section>
    </div>
  )
}

export { Developers as screen }
