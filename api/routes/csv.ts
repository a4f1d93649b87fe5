import { exampleIds } from '../../schema/example-ids.ts'
import { contentTypes, download } from '../files/download.ts'
import type { Files } from '../files/files.ts'
import { type FileReport, fileReports } from '../files/table.ts'
import { languages } from '../../schema/languages.ts'
import { partial, bool, named, oneOf, text } from '../../schema/types.ts'
import { notFound } from '../../schema/errors.ts'
import { anyOf } from '../auth/scopes.ts'
import { capitalized, route, type Route } from '../http/route.ts'

/** Below this path a user token may be in the query. */
export const csvPaths = '/csv/'

interface FilesPort {
  readonly files: Pick<Files, 'find'>
}

const fileLanguage = named('FileLanguage', oneOf(languages, { default: 'en' }))

function getFile(report: FileReport): Route<FilesPort> {
  const name = report.split('/').map(capitalized).join('')
  return route(`GET ${csvPaths}${report}/:id`, `download${name}File`, {
    example: { id: String(exampleIds.file) },
    summary: `The file of a report with \`csv: true\`: ${report.replace('/', ' ')}`,
    description:
      'The report as it was computed. `localize=true`: titles, the time zone of the company, hours and percent; `language=de`: German titles and names of absent groups, semicolons and ' +
      'decimal commas. A workbook or Parquet if the report requested that format.',
    scope: anyOf('reporting'),
    params: partial({ id: { ...text, format: 'id' } }),
    query: partial({
      localize: { ...bool, default: false },
      language: fileLanguage,
    }),
    output: { files: Object.values(contentTypes) },
    async handle({ caller, params, query }, { files }: FilesPort) {
      const id = params['id'] ?? ''
      const which = { companyId: caller().company.id, report, id: Number(id) }
      const file = /^\d{1,10}$/.test(id) ? await files.find(which) : null
      if (file === null) throw notFound()
      return download(file, { localize: query.localize ?? false, language: query.language ?? 'en' })
    },
  })
}

export const csvRoutes = fileReports.map(getFile)
