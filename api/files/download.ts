import { createReadStream } from 'node:fs'
import type { FileResponse } from '../http/respond.ts'
import { readLocalized } from './csv.ts'
import type { OpenFile } from './folder.ts'
import type { FileFormat } from './table.ts'

/** Media types of the formats. */
export const contentTypes = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
} as const satisfies Readonly<Record<FileFormat, string>>

/** An exported file as a response. `localize` converts CSV files; Parquet has typed values and stays unchanged. */
export function download(file: OpenFile, localize: boolean): FileResponse {
  const { path, report, format, columns, timeZone, madeAtMs, sizeBytes } = file
  const name = `${report.replace('/', '-')}-${new Date(madeAtMs).toISOString().slice(0, 10)}`
  if (format === 'parquet')
    return {
      content: createReadStream(path),
      contentType: contentTypes.parquet,
      fileName: `${name}.parquet`,
      sizeBytes,
    }
  const csv = { contentType: `${contentTypes.csv}; charset=utf-8; header=present`, fileName: `${name}.csv` }
  return localize
    ? { ...csv, content: readLocalized(path, columns, timeZone), sizeBytes: null }
    : { ...csv, content: createReadStream(path), sizeBytes }
}
