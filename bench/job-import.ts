/**
 * Measures the time of an import of many jobs, the longest block of the event loop, and the peak memory of the service, which runs as users run it:
 * `npx tsx bench/job-import.ts [rows=100000] [mm|vendorLN]`; the same file is sent twice and then with every job changed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { utils, write } from 'xlsx'
import { startChild } from '../test/support/child-service.ts'
import { testKey } from '../test/support/service.ts'

const [rows, type] = [Number(process.argv[2] ?? 100_000), process.argv[3] ?? 'mm']
const headings = {
  mm: [
    'name',
    'operation',
    'part',
    'lot',
    'description',
    'quantity',
    'due_date',
    'workcenter',
    'idealparttime',
    'setuptime',
  ],
  vendorLN: [
    'Order',
    'Operation',
    'Item',
    'Lot',
    'Description',
    'Ordered Quantity',
    'Planned Delivery Date',
    'Machine',
    'Ideal Cycle Time [min]',
    'Run Time',
  ],
}[type === 'mm' ? 'mm' : 'vendorLN']

/** Two rows a job. */
function table(quantity: number): unknown[][] {
  const cells = Array.from({ length: rows }, (_, row) => {
    const job = row >> 1
    const names = [
      `WO-${100_000 + job}`,
      10 * (job % 5),
      `Part ${job % 997}`,
      `L${job % 13}`,
      'Turned, milled and washed',
    ]
    return [...names, quantity, '2026-04-01', row % 2 === 0 ? 'Lathe 1' : 'Lathe 2', 1000 + (row % 50), 900]
  })
  return [headings, ...cells]
}

function fileOf(quantity: number): Blob {
  const lines = table(quantity)
  if (type === 'mm')
    return new Blob([
      lines
        .map(line => line.map(cell => (String(cell).includes(',') ? `"${String(cell)}"` : cell)).join(','))
        .join('\n'),
    ])
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet(lines))
  const bytes: Buffer = write(book, { type: 'buffer', bookType: 'xlsx', compression: true })
  return new Blob([new Uint8Array(bytes)])
}

const dataDir = mkdtempSync(join(tmpdir(), 'takt-bench-import-'))
const holdFile = join(dataDir, 'longest-hold')
const service = await startChild({
  TAKT_DATA_DIR: dataDir,
  LONGEST_HOLD_FILE: holdFile,
  NODE_OPTIONS: `--import ${new URL('longest-hold.mjs', import.meta.url).href}`,
})

/** The longest block of the event loop of the service since the last call (ms). */
async function longestHoldMs(): Promise<string> {
  process.kill(service.pid, 'SIGUSR2')
  await sleep(500)
  return readFileSync(holdFile, 'utf8')
}

const megabytes = (name: string) =>
  Math.round(
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024,
  )

async function post(what: string, file: Blob): Promise<void> {
  const form = new FormData()
  form.append('csvFile', file)
  let longestMs = 0
  // Creating the file took a while, in which idle connections were closed.
  await sleep(200)
  const done = new AbortController()
  const probing = (async () => {
    while (!done.signal.aborted) {
      const askedMs = performance.now()
      await fetch(`${service.url}/metrics`).then(response => response.text())
      longestMs = Math.max(longestMs, performance.now() - askedMs)
      await sleep(50)
    }
  })()
  await longestHoldMs()
  const startedMs = performance.now()
  const headers = { authorization: `Bearer ${testKey}` }
  const response = await fetch(`${service.url}/jobs/import?type=${type}`, { method: 'POST', body: form, headers })
  const tookMs = performance.now() - startedMs
  done.abort()
  const answer = (await response.text()).slice(0, 300)
  await probing
  const heldMs = await longestHoldMs()
  const figures = `${(tookMs / 1000).toFixed(1)} s, the event loop was held for ${heldMs} ms at most, another request waited ${longestMs.toFixed(0)} ms at most`
  console.log(
    `${what}: ${response.status} ${answer}, ${(file.size / 1e6).toFixed(1)} MB, ${figures}, ${megabytes('VmHWM')} MB peak, ${megabytes('VmRSS')} MB now`,
  )
}

try {
  for (const [name, id] of [
    ['Lathe 1', '8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10'],
    ['Lathe 2', '8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f11'],
  ])
    await service.call('PUT', `/machines/${id}`, { name })
  console.log(`${rows} rows, ${megabytes('VmRSS')} MB before`)
  await post('new', fileOf(500))
  await post('the same', fileOf(500))
  await post('each changed', fileOf(501))
  const startedMs = performance.now()
  const { code } = await service.stop()
  const again = await startChild({ TAKT_DATA_DIR: dataDir })
  console.log(`stopped (${code}) and started again in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  await again.stop()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(0)
