import { escape } from './render-markdown.ts'

/** A text of this repository that is served as a page. */
export interface Guide {
  /** Last part of its path: `/docs/guides/<name>`. */
  readonly name: string
  /** Path from the root of the repository. */
  readonly file: string
  readonly title: string
  /** One sentence for the list. */
  readonly about: string
  readonly language: 'en' | 'de'
}

/** HTML of a guide's page; `content` is HTML. */
export function guidePage({ title, language }: Guide, content: string): string {
  return page(title, content, language)
}

/** HTML of the page that lists the guides. */
export function listPage(guides: readonly Guide[]): string {
  const items = guides.map(
    ({ name, title, about, language }) =>
      `<li lang="${language}"><a href="/docs/guides/${name}">${escape(title)}</a>: ${escape(about)}</li>`,
  )
  return page('Guides', `<h1>Guides</h1>\n<ul>\n${items.join('\n')}\n</ul>`, 'en')
}

function page(title: string, content: string, language: Guide['language']): string {
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
    <nav><a href="/">Takt</a> <a href="/docs/guides">Guides</a> <a href="/docs">Reference</a></nav>
    <main>
${content}
    </main>
  </body>
</html>
`
}
