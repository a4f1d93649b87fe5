import { importForm, importPreview, importQuery } from '../../schema/requests/job-import.ts'
import { nullSchema, type Infer } from '../../schema/types.ts'
import { type FieldError, fieldError, validationError } from '../../schema/errors.ts'
import { anyOf } from '../auth/scopes.ts'
import { importFieldErrorLimits } from '../http/errors.ts'
import { type Call, formBody, route } from '../http/route.ts'
import type { ImportLimiter } from '../import/import-limiter.ts'
import { importChunks, readJobs } from '../import/import-jobs.ts'
import type { Form } from '../http/upload.ts'
import { submit } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'

interface ImportDeps extends RecordsPort, CommandsPort {
  readonly imports: ImportLimiter
}

/** Timeout of the registrar, with a share per chunk: a busy computer may take ten times as long. */
const minTimeoutMs = 60_000
const timeoutMsPerChunk = 10_000

const importJobs = route('POST /jobs/import', 'importJobs', {
  summary: 'Import the jobs of a file',
  description:
    'Imports the complete file or nothing: 400 lists each error with its row and column. Jobs are found by their names, and new ones are created. Imports run one at a time; a second one of a company waits, further ones are rejected.',
  scope: anyOf('erp'),
  enter: ({ company }, { imports }: ImportDeps) => imports.enter(company.id),
  query: importQuery,
  body: formBody('csvFile', importForm),
  keyed: { again: () => null },
  output: nullSchema,
  fieldErrorLimits: importFieldErrorLimits,
  async handle(call, deps: ImportDeps) {
    await importFile(call, deps, false)
    return null
  },
})

const previewImport = route('POST /jobs/import/preview', 'previewJobImport', {
  summary: 'Check the import of a file',
  description:
    'Returns the errors of the file as the import does, or the number of jobs to create, change and archive. Changes nothing.',
  scope: anyOf('erp'),
  enter: ({ company }, { imports }: ImportDeps) => imports.enter(company.id),
  query: importQuery,
  body: formBody('csvFile', importForm),
  output: importPreview,
  fieldErrorLimits: importFieldErrorLimits,
  handle: (call, deps: ImportDeps) => importFile(call, deps, true),
})

async function importFile(
  { caller, query, body: { file, fields } }: Pick<Call<Infer<typeof importQuery>, Form>, 'caller' | 'query' | 'body'>,
  deps: ImportDeps,
  isPreview: boolean,
): Promise<Infer<typeof importPreview>> {
  const { company } = caller()
  const autoArchive = parseFlag(fields['autoArchive'])
  const allowEmpty = query.allowEmpty ?? parseFlag(fields['allowEmpty'])
  const errors: FieldError[] = []
  if (!file) errors.push(noFile(fields))
  if (autoArchive === null) errors.push(fieldError('autoArchive', 'InvalidType', 'autoArchive must be true or false'))
  if (allowEmpty === null) errors.push(fieldError('allowEmpty', 'InvalidType', 'allowEmpty must be true or false'))
  if (!file || autoArchive === null || allowEmpty === null) throw validationError(errors)
  return deps.imports.run(company.id, async mappings => {
    const mapping = mappings[query.type ?? 'mm']
    const mayBeEmpty = allowEmpty || !autoArchive
    const options = { mapping, records: deps.records, companyId: company.id, mayBeEmpty }
    const { jobs, skippedRows } = await readJobs(file.path, options)
    const [first = { jobs: [] }, ...rest] = await importChunks(jobs, autoArchive)
    const chunks = [isPreview ? { ...first, isPreview } : first, ...rest]
    const timeoutMs = minTimeoutMs + chunks.length * timeoutMsPerChunk
    const result = await submit(deps, caller(), 'jobImport.apply', chunks, { timeoutMs })
    return skippedRows > 0 ? { ...result, skippedRows } : result
  })
}

function noFile(fields: Readonly<Record<string, string>>): FieldError {
  const isText = Object.hasOwn(fields, 'csvFile')
  return fieldError('csvFile', 'Required', isText ? 'csvFile must be a file' : 'csvFile is required')
}

function parseFlag(text: string = ''): boolean | null {
  if (/^(true|1|on|yes)$/i.test(text)) return true
  return /^(false|0|off|no|)$/i.test(text) ? false : null
}

export const jobImportRoutes = [importJobs, previewImport]
