import type { Language } from '../../schema/languages.ts'
import { fileOf, type Guide } from './guide-list.ts'
import { escape } from './render-markdown.ts'

/** Words around the guides. */
const words = {
  en: { guides: 'Guides', reference: 'Reference', otherLanguage: 'Deutsch' },
  de: { guides: 'Anleitungen', reference: 'API-Referenz (Englisch)', otherLanguage: 'English' },
} as const

const otherLanguage = { en: 'de', de: 'en' } as const

const unmarked: Languages = { from: 'en', to: 'en' }

/** Path of a guide's page in a language; without a name: of the list. */
export function addressOfGuide(name: string | null, language: Language): string {
  return `/docs/guides${name === null ? '' : `/${name}`}${language === 'en' ? '' : `?language=${language}`}`
}

/** HTML of a link; `label` is HTML. Links of German pages to English ones are marked. */
export function linkTo(address: string, label: string, { from, to }: Languages = unmarked): string {
  if (from === to) return `<a href="${escape(address)}">${label}</a>`
  return `<a href="${escape(address)}" hreflang="${to}">${label}</a> (Englisch)`
}

/** Languages of a page with a link and of the link's target. */
interface Languages {
  readonly from: Language
  readonly to: Language
}

/** HTML of a guide's page; `content` is HTML. */
export function guidePage(guide: Guide, language: Language, content: string): string {
  const isTranslated = fileOf(guide, otherLanguage[language]) !== undefined
  return page({ title: guide.entries[language].title, content, language, name: isTranslated ? guide.name : undefined })
}

/** HTML of the page that lists the guides: those in its language, then those in English only. */
export function listPage(guides: readonly Guide[], language: Language): string {
  const title = words[language].guides
  const own = guides.filter(guide => fileOf(guide, language) !== undefined)
  const others = guides.filter(guide => !own.includes(guide))
  const content = [`<h1>${title}</h1>`, listOf(own, { from: language, to: language })]
  if (others.length > 0)
    content.push(
      '<h2>Auf Englisch</h2>',
      '<p>Diese Anleitungen, vor allem die für Entwickler, gibt es nur auf Englisch.</p>',
      listOf(others, { from: language, to: 'en' }),
    )
  return page({ title, content: content.join('\n'), language, name: null })
}

function listOf(guides: readonly Guide[], { from, to }: Languages): string {
  const items = guides.map(({ name, entries }) => {
    const { title, about } = entries[from]
    return `<li>${linkTo(addressOfGuide(name, to), escape(title), { from, to })}: ${escape(about)}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

interface Page {
  readonly title: string
  /** HTML. */
  readonly content: string
  readonly language: Language
  /** Guide that also exists in the other language; null: the list; undefined: no other language. */
  readonly name: string | null | undefined
}

function page({ title, content, language, name }: Page): string {
  const { guides, reference, otherLanguage: otherName } = words[language]
  const other = otherLanguage[language]
  const change =
    name === undefined
      ? ''
      : ` <a href="${addressOfGuide(name, other)}" lang="${other}" hreflang="${other}">${otherName}</a>`
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(title)} · Takt</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <script src="/docs/theme.js"></script>
    <link rel="stylesheet" href="/docs/pages.css" />
    <link rel="stylesheet" href="/docs/guides.css" />
  </head>
  <body>
    <nav><a href="/">Takt</a> <a href="${addressOfGuide(null, language)}">${guides}</a> <a href="/docs">${reference}</a>${change}</nav>
    <main>
${content}
    </main>
  </body>
</html>
`
}
