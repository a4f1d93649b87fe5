import type { JobImportChunk, ImportedJob } from '../../schema/commands/job-commands.ts'
import type { Records } from '../../processors/records/records.ts'
import { type ApiError, fieldError, validationError } from '../../schema/errors.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { readCsv } from './csv/read-csv.ts'
import { readHeading } from './heading.ts'
import { Jobs } from './jobs.ts'
import type { Mapping } from './mappings.ts'
import { type FileRow, unreadable } from './rows/file-row.ts'
import { workCenterFinder } from './work-centers.ts'
import { readXlsx } from './xlsx/read-xlsx.ts'

/** Approximate length of one chunk of the command: well below the size of one record of the log. */
const chunkChars = 1_000_000

/** Options for reading a file of jobs. */
export interface ReadJobsOptions {
  readonly mapping: Mapping
  readonly records: Records
  readonly companyId: string
  /** Whether a file without jobs is accepted. */
  readonly mayBeEmpty: boolean
}

/** The jobs of a file. */
export interface FileJobs {
  readonly jobs: Iterable<ImportedJob>
  /** Rows that were skipped because the company does not have their work center. */
  readonly skippedRows: number
}

/** Reads a file of jobs. Throws an `ApiError` with its field errors. */
export async function readJobs(path: string, options: ReadJobsOptions): Promise<FileJobs> {
  const { mapping, records, companyId, mayBeEmpty } = options
  const rows = mapping.format === 'csv' ? readCsv(path, mapping.delimiter) : readXlsx(path, mapping.sheet)
  const jobs = await gather(rows, mapping, records, companyId)
  const { listed, more } = jobs.fieldErrors
  if (listed.length > 0) throw validationError(listed, more)
  if (jobs.isEmpty && !mayBeEmpty) throw withoutJobs()
  return { jobs: jobs.jobs(), skippedRows: jobs.skippedRows }
}

async function gather(
  rows: AsyncGenerator<FileRow, void>,
  mapping: Mapping,
  records: Records,
  companyId: string,
): Promise<Jobs> {
  let jobs: Jobs | null = null
  const slice = new TimeSlice()
  for await (const row of rows) {
    // A chunk of the file has thousands of short rows.
    if (slice.isOver) await slice.next()
    if (jobs) jobs.add(row)
    else
      jobs = new Jobs({
        layout: readHeading(row, mapping),
        find: workCenterFinder(records, companyId),
        unknownWorkCenter: mapping.unknownWorkCenter,
      })
  }
  if (!jobs) throw unreadable('The file is empty')
  return jobs
}

/** Error of a file without jobs. A failed export is often empty: it must not archive every job. */
function withoutJobs(): ApiError {
  const message = 'The file has no jobs, so autoArchive would archive all jobs. To confirm this, send allowEmpty=true.'
  return validationError([fieldError('csvFile', 'Required', message)])
}

/** The jobs as chunks of the command, each of a bounded size; yields to the event loop. */
export async function importChunks(
  jobs: Iterable<ImportedJob>,
  autoArchive: boolean,
): Promise<readonly JobImportChunk[]> {
  const chunks: ImportedJob[][] = [[]]
  const slice = new TimeSlice()
  let chars = 0
  for (const job of jobs) {
    if (chars >= chunkChars) {
      chunks.push([])
      chars = 0
    }
    chunks.at(-1)?.push(job)
    chars += JSON.stringify(job).length
    if (slice.isOver) await slice.next()
  }
  return chunks.map((chunk, index) => (index === 0 ? { jobs: chunk, autoArchive } : { jobs: chunk }))
}
