import type { JobImportPart, ImportedJob } from '../../processors/registrar/commands/job-import.ts'
import type { Records } from '../../processors/records/records.ts'
import { validationError } from '../../schema/errors.ts'
import { readCsv } from './csv/read-csv.ts'
import { readHeading } from './heading.ts'
import { Jobs } from './jobs.ts'
import type { Mapping } from './mappings.ts'
import { type FileRow, unreadable } from './rows.ts'
import { workCenterFinder } from './work-centers.ts'
import { readXlsx } from './xlsx/read-xlsx.ts'

/** Of one part of the command, about: well below what a record of the log takes. */
const partChars = 1_000_000

/** Reads a file of jobs. Throws an `ApiError` with every fault. */
export async function readJobs(
  path: string,
  mapping: Mapping,
  records: Records,
  companyId: string,
): Promise<Iterable<ImportedJob>> {
  const rows = mapping.format === 'csv' ? readCsv(path, mapping.delimiter) : readXlsx(path, mapping.sheet)
  const jobs = await gather(rows, mapping, records, companyId)
  const { listed, more } = jobs.faults
  if (listed.length > 0) throw validationError(listed, more)
  return jobs.jobs()
}

async function gather(
  rows: AsyncGenerator<FileRow, void>,
  mapping: Mapping,
  records: Records,
  companyId: string,
): Promise<Jobs> {
  let jobs: Jobs | null = null
  for await (const row of rows) {
    if (jobs) jobs.add(row)
    else jobs = new Jobs(readHeading(row, mapping), workCenterFinder(records, companyId))
  }
  if (!jobs) throw unreadable('The file is empty')
  return jobs
}

/** The jobs as parts of the command, each of a bounded size. */
export function* importParts(jobs: Iterable<ImportedJob>, autoArchive: boolean): Generator<JobImportPart, void> {
  let part: ImportedJob[] = []
  let chars = 0
  let isFirst = true
  for (const job of jobs) {
    part.push(job)
    chars += JSON.stringify(job).length
    if (chars < partChars) continue
    yield { jobs: part, ...(isFirst && { autoArchive }) }
    part = []
    chars = 0
    isFirst = false
  }
  if (isFirst || part.length > 0) yield { jobs: part, ...(isFirst && { autoArchive }) }
}
