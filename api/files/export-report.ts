import type { CompanyRecord } from '../../schema/records/company.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import type { Files } from './files.ts'
import type { FileReport, StoredTable, FileTable } from './table.ts'

/** The file of a report in a response. `url` is a path, which the route converts to a URL. */
export interface CsvLink {
  readonly url: string
  readonly expires: string
}

/** A report that the request may export as a file. */
export interface ExportRequest {
  /** Whether a file is requested, and its format; default: CSV. */
  readonly request: { readonly csv: boolean; readonly format?: 'parquet' }
  readonly company: CompanyRecord
  readonly report: FileReport
  /** Called only if a file is requested. */
  readonly table: () => FileTable | StoredTable
  readonly signal?: AbortSignal | undefined
}

/**
 * Exports the report as a file if the request contains that. Resolves with the additional part of the response:
 * `{ csv }`, or `{}` without a file.
 */
export async function exportReport(
  files: Pick<Files, 'keep'>,
  { request, company, report, table, signal }: ExportRequest,
): Promise<{ readonly csv?: CsvLink }> {
  if (!request.csv) return {}
  const format = request.format ?? 'csv'
  const kept = await files.keep({ company, report, format, table: table(), ...(signal ? { signal } : {}) })
  return { csv: { url: kept.url, expires: isoText(kept.expiresAtMs) } }
}
