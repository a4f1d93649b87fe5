import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'

const rows = 200_000
const megabyte = 1_000_000

describe('large report files', () => {
  it('A report file of 200,000 rows is written and read in a heap that is smaller than the file', async function () {
    const folder = mkdtempSync(join(tmpdir(), 'takt-big-'))
    try {
      const script = fileURLToPath(new URL('big-export.ts', import.meta.url))
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--max-old-space-size=80',
        '--import=tsx',
        script,
        folder,
        String(rows),
      ])
      const seen: Seen = JSON.parse(stdout)
      assert.equal(seen.plainLines, rows + 1)
      assert.equal(seen.localLines, rows + 1)
      assert.isAbove(seen.csvBytes, 110 * megabyte)
      assert.isBelow(seen.csvGrowth, 100 * megabyte)
      assert.isAbove(seen.workbookBytes, 1 * megabyte)
      assert.isBelow(seen.workbookGrowth, 130 * megabyte)
      assert.isBelow(seen.growth, 700 * megabyte, 'with what the engine takes to write Parquet')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

interface Seen {
  readonly plainLines: number
  readonly localLines: number
  readonly csvBytes: number
  readonly csvGrowth: number
  readonly workbookBytes: number
  readonly workbookGrowth: number
  readonly growth: number
}
