import { createReadStream } from 'node:fs'
import type { Language } from '../../schema/languages.ts'
import type { FileFormat } from '../../schema/requests/report.ts'
import type { FileResponse } from '../http/respond.ts'
import { sheetNameOf } from './file-name.ts'
import type { OpenFile } from './folder.ts'
import { readLocalized } from './localized-csv.ts'
import { readWorkbook } from './workbook.ts'

/** Media types of the formats. */
export const contentTypes = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Readonly<Record<FileFormat, string>>

interface DownloadOptions {
  /** Converts CSV files; the others have typed values. */
  readonly localize: boolean
  /** Language of localized CSV files and of the headings of workbooks. */
  readonly language: Language
}

/** An exported file as a response. */
export function download(file: OpenFile, { localize, language }: DownloadOptions): FileResponse {
  const { path, report, format, name, columns, timeZone, sizeBytes } = file
  const fileName = `${name}.${format}`
  const contentType = contentTypes[format]
  const reader = { timeZone, language }
  if (format === 'xlsx')
    return {
      content: readWorkbook({ path, columns, reader, sheetName: sheetNameOf(report) }),
      contentType,
      fileName,
      sizeBytes: null,
    }
  if (format === 'parquet') return { content: createReadStream(path), contentType, fileName, sizeBytes }
  const csv = { contentType: `${contentType}; charset=utf-8; header=present`, fileName }
  return localize
    ? { ...csv, content: readLocalized(path, columns, reader), sizeBytes: null }
    : { ...csv, content: createReadStream(path), sizeBytes }
}
