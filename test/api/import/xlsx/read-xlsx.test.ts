import { assert } from 'chai'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readXlsx } from '../../../../api/import/xlsx/read-xlsx.ts'
import type { FileCell } from '../../../../api/import/rows/file-row.ts'
import { ApiError } from '../../../../schema/errors.ts'
import { workbook } from '../form.ts'

const run = promisify(execFile)
const { execPath } = process

describe('the process that reads a workbook', function () {
  let folder: string
  let file: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-xlsx-'))
    file = join(folder, 'jobs.xlsx')
    writeFileSync(file, workbook([['Order'], ['J1']]))
  })
  afterEach(() => {
    process.execPath = execPath
    rmSync(folder, { recursive: true })
  })

  it('Reading a workbook returns its rows', async () => {
    assert.deepEqual(await rowsOf(file), [['Order'], ['J1']])
  })

  it('Unicode line separators in a cell of a workbook are read unchanged', async () => {
    const row = ['a\u2028b\u2029c\u0085d', 'e\nf']
    writeFileSync(file, workbook([['Order'], row]))
    assert.deepEqual(await rowsOf(file), [['Order'], row])
  })

  it('A row of a workbook that is longer than the limit for CSV is rejected', async () => {
    writeFileSync(file, workbook([['Order'], Array.from({ length: 40 }, () => 'x'.repeat(30_000))]))
    const error = await errorOf(file)
    assert.equal(error.status, 400)
    assert.deepEqual(
      error.errors.map(({ message }) => message),
      ['Row 2 is longer than 200000 characters'],
    )
  })

  it('A workbook whose reader process is killed in the middle of a row receives 413', async () => {
    process.execPath = executable(`printf '["Order"]\\n["J1'; kill -9 $$`)
    assert.equal((await errorOf(file)).status, 413)
  })

  it('A workbook whose reader process is killed between rows receives 413', async () => {
    process.execPath = executable(`printf '["Order"]\\n'; kill -9 $$`)
    assert.equal((await errorOf(file)).status, 413)
  })

  it('A workbook whose reader process cannot be started receives 503', async () => {
    process.execPath = join(folder, 'nowhere')
    assert.equal((await errorOf(file)).status, 503)
  })

  it('If no file descriptor is free, a workbook receives 503 and the service continues', async () => {
    const module = new URL('../../../../api/import/xlsx/read-xlsx.ts', import.meta.url).href
    const script = `
      import { closeSync, openSync } from 'node:fs'
      import { readXlsx } from ${JSON.stringify(module)}
      const open = []
      try { for (;;) open.push(openSync('/dev/null')) } catch {}
      closeSync(open.pop())
      const { status } = await readXlsx(${JSON.stringify(file)}).next().catch(error => error)
      for (const each of open) closeSync(each)
      await new Promise(resolve => setTimeout(resolve, 100))
      console.log(status)`
    const node = `ulimit -n 256 && exec "$0" --import tsx --input-type=module -e "$1"`
    assert.equal((await run('sh', ['-c', node, execPath, script])).stdout.trim(), '503')
  })

  /** Replaces the reader: the kernel kills a real one at an unpredictable moment. */
  function executable(commands: string): string {
    const path = join(folder, 'reader')
    writeFileSync(path, `#!/bin/sh\n${commands}\n`)
    chmodSync(path, 0o755)
    return path
  }
})

async function rowsOf(path: string): Promise<(readonly FileCell[])[]> {
  const rows: (readonly FileCell[])[] = []
  for await (const { cells } of readXlsx(path)) rows.push(cells)
  return rows
}

async function errorOf(path: string): Promise<ApiError> {
  const error: unknown = await rowsOf(path).then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.instanceOf(error, ApiError, String(error))
  return error
}
