import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { utils, write, type WorkBook } from 'xlsx'
import type { TestAnswer, TestApi } from '../../support/api.ts'

export interface SentFile {
  readonly type?: string
  readonly autoArchive?: string
  readonly allowEmpty?: string
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Posts a job file as the form of a browser does. */
export function importFile(
  api: TestApi,
  content: string | Uint8Array,
  { type, autoArchive, allowEmpty, key, signal }: SentFile = {},
): Promise<TestAnswer> {
  const form = new FormData()
  form.append('csvFile', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), 'jobs.csv')
  if (autoArchive !== undefined) form.append('autoArchive', autoArchive)
  if (allowEmpty !== undefined) form.append('allowEmpty', allowEmpty)
  const query = type === undefined ? '' : `?type=${type}`
  return api.call('POST', `/jobs/import${query}`, undefined, {
    raw: form,
    ...(key !== undefined && { key }),
    ...(signal && { signal }),
  })
}

/** An example file of the product. */
export function sample(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../../../api/import/samples/${name}`, import.meta.url)))
}

/** An XLSX file with one sheet. */
export function workbook(rows: readonly (readonly unknown[])[], name = 'Orders'): Buffer {
  const book: WorkBook = utils.book_new()
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet(
      rows.map(row => [...row]),
      { UTC: true },
    ),
    name,
  )
  const bytes: Buffer = write(book, { type: 'buffer', bookType: 'xlsx', compression: true })
  return bytes
}
