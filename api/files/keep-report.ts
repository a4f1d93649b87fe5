import type { CompanyRecord } from '../../schema/records/company.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import type { Files } from './files.ts'
import type { FileReport, StoredTable, FileTable } from './table.ts'

/** The file of a report, as the answer tells it. `url` is the path; the route makes it an address. */
export interface CsvLink {
  readonly url: string
  readonly expires: string
}

/** A report that may be wanted as a file. */
export interface FileWish {
  /** Whether a file is wanted, and in which format; CSV unless given. */
  readonly request: { readonly csv: boolean; readonly format?: 'parquet' }
  readonly company: CompanyRecord
  readonly report: FileReport
  /** Called only where a file is wanted. */
  readonly table: () => FileTable | StoredTable
  readonly signal?: AbortSignal | undefined
}

/**
 * Keeps the report as a file where the request wants one. Resolves with the answer's additional part: `{ csv }`, or
 * `{}` without a file.
 */
export async function keepReport(
  files: Pick<Files, 'keep'>,
  { request, company, report, table, signal }: FileWish,
): Promise<{ readonly csv?: CsvLink }> {
  if (!request.csv) return {}
  const format = request.format ?? 'csv'
  const kept = await files.keep({ company, report, format, table: table(), ...(signal ? { signal } : {}) })
  return { csv: { url: kept.url, expires: isoText(kept.expiresAtMs) } }
}
