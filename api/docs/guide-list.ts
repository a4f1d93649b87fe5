import { existsSync, readdirSync } from 'node:fs'
import type { Language } from '../../schema/languages.ts'

/** A text of this repository that is served as a page, in English and perhaps in German. */
export interface Guide {
  /** Last part of its path: `/docs/guides/<name>`. */
  readonly name: string
  /** Path of the text in English from the root of the repository. */
  readonly file: string
  /** Its entry in the list of each language. */
  readonly entries: Readonly<Record<Language, GuideEntry>>
}

interface GuideEntry {
  /** Title of the page; in the list of a language that the guide does not have, the English one. */
  readonly title: string
  /** One sentence. */
  readonly about: string
}

/** Root of the repository. */
export const root = new URL('../../', import.meta.url)

/** Every guide, in the order of the list. */
export const guides: readonly Guide[] = [
  guide('readme', 'README.md', [
    ['Takt', 'What Takt is, how to start it, and how data flows.'],
    ['Takt', 'Was Takt ist, wie es startet, und wie die Daten fließen.'],
  ]),
  guide('application', 'docs/application.md', [
    ['The application', 'Its screens, and the way to the biggest loss.'],
    ['Die Anwendung', 'Ihre Seiten, und der Weg zum größten Verlust.'],
  ]),
  guide('concepts', 'docs/concepts.md', [
    ['Concepts and formulas', 'What the numbers mean.'],
    ['Begriffe und Formeln', 'Was die Zahlen bedeuten.'],
  ]),
  guide('glossary', 'docs/glossary.md', [
    ['Glossary', 'Every term, with one meaning each.'],
    ['Glossary', 'Jeder Begriff, mit genau einer Bedeutung.'],
  ]),
  guide('connecting-machines', 'docs/connecting-machines.md', [
    ['Connecting machines', 'How to send samples.'],
    ['Maschinen anbinden', 'Wie Messwerte zu Takt kommen.'],
  ]),
  guide('api-guide', 'docs/api-guide.md', [
    ['API guide', 'Examples of every part of the HTTP interface.'],
    ['API guide', 'Beispiele zu jedem Teil der HTTP-Schnittstelle.'],
  ]),
  guide('graphql', 'docs/graphql.md', [
    ['GraphQL', 'Queries about the plant, with filters, relations and aggregates.'],
    ['GraphQL', 'Abfragen über das Werk, mit Filtern, Beziehungen und Summen.'],
  ]),
  guide('metrics', 'docs/metrics.md', [
    ['Metrics of the reports', 'Each metric with its unit and formula.'],
    ['Kennzahlen der Berichte', 'Jede Kennzahl mit Einheit und Formel.'],
  ]),
  guide('report-files', 'docs/report-files.md', [
    ['Report files', 'CSV, XLSX and Parquet.'],
    ['Dateien von Berichten', 'CSV, XLSX und Parquet.'],
  ]),
  guide('live', 'docs/live.md', [
    ['Live channels', 'Status, diagnostics and timeline over WebSockets.'],
    ['Live channels', 'Status, Diagnose und Zeitachse über WebSockets.'],
  ]),
  guide('job-import', 'docs/job-import.md', [
    ['Importing jobs', 'The columns of a file of jobs.'],
    ['Aufträge importieren', 'Die Spalten einer Datei mit Aufträgen.'],
  ]),
  guide('operations', 'docs/operations.md', [
    ['Operations', 'How to run, watch and repair an installation.'],
    ['Betrieb', 'Wie Sie eine Installation betreiben, überwachen und reparieren.'],
  ]),
  guide('configuration', 'docs/configuration.md', [
    ['Configuration', 'Every setting with its default.'],
    ['Configuration', 'Jede Einstellung mit ihrem Standardwert.'],
  ]),
  guide('security', 'docs/security.md', [
    ['Security', 'What is protected, and what an operator must do.'],
    ['Sicherheit', 'Was geschützt ist, und was der Betreiber tun muss.'],
  ]),
  guide('reporting-a-hole', 'SECURITY.md', [
    ['Reporting a vulnerability', 'How to report, and what to include.'],
    ['Reporting a vulnerability', 'Wie Sie eine Schwachstelle melden, und was die Meldung enthält.'],
  ]),
  guide('developing', 'docs/developing.md', [
    ['Developing', 'How to change Takt and test the change.'],
    ['Developing', 'Wie man Takt ändert und die Änderung prüft.'],
  ]),
  guide('architecture', 'docs/architecture.md', [
    ['Architecture', 'Data flow and invariants.'],
    ['Architecture', 'Datenfluss und Invarianten.'],
  ]),
  guide('decisions', 'docs/decisions/README.md', [
    ['Decisions', 'Why Takt is built as it is, with measurements.'],
    ['Decisions', 'Warum Takt so gebaut ist, mit Messungen.'],
  ]),
  guide('dependencies', 'docs/dependencies.md', [
    ['Dependencies', 'Each package, and why it was chosen.'],
    ['Dependencies', 'Jedes Paket, und warum es gewählt wurde.'],
  ]),
  guide('benchmarks', 'bench/README.md', [
    ['Benchmarks', 'Speed and memory, as measured.'],
    ['Benchmarks', 'Gemessene Geschwindigkeit und gemessener Speicherbedarf.'],
  ]),
]

/** Pages that guides link to and the list omits: each decision. */
export const furtherPages: readonly Guide[] = readdirSync(new URL('docs/decisions/', root))
  .filter(name => name !== 'README.md')
  .map(name => {
    const entry = ['Decision', ''] as const
    return guide(`decision-${name.replace(/\.md$/, '')}`, `docs/decisions/${name}`, [entry, entry])
  })

/** Path of the guide's text in a language from the root of the repository; undefined: not translated. */
export function fileOf({ file }: Guide, language: Language): string | undefined {
  if (language === 'en') return file
  const translated = file.replace(/\.md$/, `.${language}.md`)
  return existsSync(new URL(translated, root)) ? translated : undefined
}

type Entry = readonly [title: string, about: string]

function guide(name: string, file: string, [en, de]: readonly [en: Entry, de: Entry]): Guide {
  return { name, file, entries: { en: entryOf(en), de: entryOf(de) } }
}

function entryOf([title, about]: Entry): GuideEntry {
  return { title, about }
}
