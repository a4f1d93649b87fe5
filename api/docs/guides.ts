import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Guide, guidePage, listPage } from './guide-page.ts'
import { renderMarkdown } from './render-markdown.ts'
import { loadOnce } from '../static/load-once.ts'
import { StaticContent } from '../static/static-content.ts'

/** Every guide, in the order of the list. */
export const guides: readonly Guide[] = [
  guide('readme', 'README.md', 'Takt', 'What Takt is, how to start it, and how data flows.'),
  guide('application', 'docs/application.md', 'The application', 'Its screens, and the way to the biggest loss.'),
  {
    name: 'application.de',
    file: 'docs/application.de.md',
    title: 'Die Anwendung',
    about: 'Ihre Seiten, und der Weg zum größten Verlust.',
    language: 'de',
  },
  guide('concepts', 'docs/concepts.md', 'Concepts and formulas', 'What the numbers mean.'),
  guide('glossary', 'docs/glossary.md', 'Glossary', 'Every term, with one meaning each.'),
  guide('connecting-machines', 'docs/connecting-machines.md', 'Connecting machines', 'How to send samples.'),
  guide('api-guide', 'docs/api-guide.md', 'API guide', 'Examples of every part of the HTTP interface.'),
  guide('graphql', 'docs/graphql.md', 'GraphQL', 'Queries about the plant, with filters, relations and aggregates.'),
  guide('metrics', 'docs/metrics.md', 'Metrics of the reports', 'Each metric with its unit and formula.'),
  guide('report-files', 'docs/report-files.md', 'Report files', 'CSV and Parquet.'),
  guide('live', 'docs/live.md', 'Live channels', 'Status, diagnostics and timeline over WebSockets.'),
  guide('job-import', 'docs/job-import.md', 'Importing jobs', 'The columns of a file of jobs.'),
  guide('operations', 'docs/operations.md', 'Operations', 'How to run, watch and repair an installation.'),
  guide('configuration', 'docs/configuration.md', 'Configuration', 'Every setting with its default.'),
  guide('security', 'docs/security.md', 'Security', 'What is protected, and what an operator must do.'),
  guide('reporting-a-hole', 'SECURITY.md', 'Reporting a vulnerability', 'How to report, and what to include.'),
  guide('developing', 'docs/developing.md', 'Developing', 'How to change Takt and test the change.'),
  guide('architecture', 'docs/architecture.md', 'Architecture', 'Data flow and invariants.'),
  guide('decisions', 'docs/decisions/README.md', 'Decisions', 'Why Takt is built as it is, with measurements.'),
  guide('dependencies', 'docs/dependencies.md', 'Dependencies', 'Each package, and why it was chosen.'),
  guide('benchmarks', 'bench/README.md', 'Benchmarks', 'Speed and memory, as measured.'),
]

function guide(name: string, file: string, title: string, about: string): Guide {
  return { name, file, title, about, language: 'en' }
}

const root = new URL('../../', import.meta.url)

/** Pages that guides link to and the list omits: each decision. */
const furtherPages: readonly Guide[] = readdirSync(new URL('docs/decisions/', root))
  .filter(name => name !== 'README.md')
  .map(name => guide(`decision-${name.replace(/\.md$/, '')}`, `docs/decisions/${name}`, 'Decision', ''))

const allPages = [...guides, ...furtherPages]
const pages = new Map(allPages.map(found => [found.name, loadOnce(() => makePage(found))]))

/** Returns the page of a guide, rendered once; undefined: unknown name. */
export function readGuide(name: string): Promise<StaticContent> | undefined {
  return pages.get(name)?.()
}

let list: StaticContent | undefined

/** Returns the page that lists the guides. */
export function guideList(): StaticContent {
  return (list ??= new StaticContent('html', listPage(guides)))
}

async function makePage(found: Guide): Promise<StaticContent> {
  const markdown = await readFile(new URL(found.file, root), 'utf8')
  const html = guidePage(found, await renderMarkdown(markdown, href => addressOf(href, found.file)))
  return new StaticContent('html', html)
}

/** URL of a link's target in this service; null: not served. `file` contains the link. */
function addressOf(href: string, file: string): string | null {
  if (href.startsWith('#') || href.startsWith('https://')) return href
  const { pathname, hash } = new URL(href, `file:///${file}`)
  const path = pathname.slice(1)
  const target = allPages.find(known => known.file === path)
  if (target) return `/docs/guides/${target.name}${hash}`
  const sample = /^api\/import\/((?:samples|mappings)\/[\w.-]+)$/.exec(path)?.[1]
  return sample === undefined ? null : `/docs/${sample}`
}
