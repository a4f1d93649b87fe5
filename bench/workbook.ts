/** CPU to read a stored file of 100,000 rows as a workbook (XLSX), compared with CSV: `node --import tsx bench/workbook.ts` */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { readLocalized } from '../api/files/localized-csv.ts'
import type { FileTable, FileTableRow } from '../api/files/table.ts'
import { writeTextRows } from '../api/files/text-rows.ts'
import { readWorkbook } from '../api/files/workbook.ts'
import { median } from './support/median.ts'

const rounds = 5
const rowCount = 100_000
const startMs = Date.parse('2026-01-01T00:00:00Z')
const reader = { timeZone: 'America/Chicago', language: 'en' } as const

const columns: FileTable['columns'] = [
  { name: 'machine', title: 'Machine', kind: 'text' },
  { name: 'machineId', title: 'Machine id', kind: 'text' },
  { name: 'day', title: 'Day', kind: 'date' },
  { name: 'start', title: 'Start', kind: 'instant' },
  { name: 'timeInCycle', title: 'Time in cycle', kind: 'ms' },
  { name: 'oee', title: 'OEE', kind: 'ratio' },
  { name: 'goodParts', title: 'Good parts', kind: 'number' },
  { name: 'partsPerHour', title: 'Parts per hour', kind: 'rate' },
]

function* rows(): Generator<FileTableRow> {
  for (let i = 0; i < rowCount; i++) {
    const id = `a0000000-0000-4000-8000-${String(i % 1000).padStart(12, '0')}`
    const start = new Date(startMs + i * 60_000).toISOString()
    yield [`Machine ${i % 1000}`, id, start, start, i * 1234.5, (i % 1000) / 1001, i % 777, i / 7]
  }
}

const folder = mkdtempSync(join(tmpdir(), 'takt-bench-workbook-'))
const paths = { csv: join(folder, 'csv'), xlsx: join(folder, 'xlsx') }
for (const format of ['csv', 'xlsx'] as const) await writeTextRows(paths[format], { columns, rows: rows() }, { format })
const readers: Readonly<Record<string, () => Readable>> = {
  'plain CSV': () => createReadStream(paths.csv),
  'localized CSV': () => readLocalized(paths.csv, columns, reader),
  workbook: () => readWorkbook({ path: paths.xlsx, columns, reader, sheetName: 'production' }),
}
for (const [name, read] of Object.entries(readers)) {
  const cpuMs: number[] = []
  let bytes = 0
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    bytes = await sizeOf(read())
    const { user, system } = process.cpuUsage(before)
    cpuMs.push((user + system) / 1000)
  }
  console.log(`${name}: ${median(cpuMs).toFixed(0)} ms of CPU, ${(bytes / 1e6).toFixed(1)} MB`)
}
rmSync(folder, { recursive: true, force: true })

async function sizeOf(content: Readable): Promise<number> {
  let bytes = 0
  for await (const chunk of content) bytes += Buffer.byteLength(chunk)
  return bytes
}
