/**
 * Runs as a separate process with a small heap: writes a large table as CSV and Parquet, reads the CSV back as a client does, also as a
 * workbook, and prints its findings as JSON. Arguments: a folder for its files, the number of rows.
 */
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { readLocalized } from '../../../api/files/localized-csv.ts'
import { readWorkbook } from '../../../api/files/workbook.ts'
import { openFiles } from '../../../api/files/files.ts'
import type { FileTableRow, FileTable } from '../../../api/files/table.ts'
import { openEmbeddedStore } from '../../../clickhouse/client/embedded-store.ts'
import { migrate } from '../../../clickhouse/migrations/migrate.ts'
import type { FileFormat } from '../../../schema/requests/report.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

const [folder = '', count = ''] = process.argv.slice(2)
const rows = Number(count)
const lineFeed = 0x0a

const columns: FileTable['columns'] = [
  { name: 'machine', title: 'Machine', kind: 'text' },
  { name: 'at', title: 'At', kind: 'instant' },
  { name: 'timeInCycle', title: 'Time in cycle', kind: 'ms' },
]

function* table(): Generator<FileTableRow> {
  const name = 'A machine whose name is rather long, so that rows have some weight. '.repeat(8)
  for (let i = 0; i < rows; i++) yield [`${name}${i}`, 1_772_409_600_000 + i, i]
}

const store = await openEmbeddedStore({ path: join(folder, 'store'), database: 'takt' })
await migrate(store)
const files = openFiles({
  folder: join(folder, 'exports'),
  lifetimeMs: 3_600_000,
  store,
  clock: Date.now,
  logger: pino({ level: 'silent' }),
})
const range = { form: 'days', startDay: '2026-03-01', endDay: '2026-03-02' } as const
const company = {
  id: 'company',
  ref: asCompanyRef(1),
  settings: { ...defaultCompanySettings, timeZone: 'America/Chicago' },
}
const keep = (format: FileFormat) =>
  files.create({ company: company, report: 'production', format, range, table: { columns, rows: table() } })

const before = process.memoryUsage().rss
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss)
}, 20)

const csv = await keep('csv')
const idOf = ({ url }: { readonly url: string }) => Number(url.split('/').at(-1))
const found = await files.find({ companyId: company.id, report: 'production', id: idOf(csv) })
if (found === null) throw new Error('The file is not there')
const reader = { timeZone: found.timeZone, language: 'en' } as const
const plainLines = await lines(createReadStream(found.path))
const localLines = await lines(readLocalized(found.path, columns, reader))
const csvGrowth = most - before
const book = await files.find({ companyId: company.id, report: 'production', id: idOf(await keep('xlsx')) })
if (book === null) throw new Error('The workbook is not there')
const workbookBytes = await size(readWorkbook({ path: book.path, columns, reader, sheetName: 'production' }))
const workbookGrowth = most - before
const parquet = await keep('parquet')
clearInterval(watch)
files.stop()
await store.close()
const seen = {
  plainLines,
  localLines,
  csvBytes: found.sizeBytes,
  csvGrowth,
  workbookBytes,
  workbookGrowth,
  growth: most - before,
  parquet: parquet.url,
}
process.stdout.write(JSON.stringify(seen))
process.exit(0)

async function size(content: Readable): Promise<number> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += Buffer.from(chunk).length
    await sleep(0)
  }
  return bytes
}

/** Reads no faster than a client with a slow connection. */
async function lines(content: Readable): Promise<number> {
  let counted = 0
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk)
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) counted++
    await sleep(0)
  }
  return counted
}
