import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { built } from '../support/built.ts'

/** Number of reports: 400 show a leak; 3,000 show a small one too. */
const reports = process.env['TAKT_MEMORY_REPORTS'] ?? '400'
const megabyte = 1_000_000

interface Held {
  readonly heapBytes: number
  readonly bufferBytes: number
}

describe('memory of reports', function () {
  this.timeout(600_000 + Number(reports) * 2_000)

  it('Heap and buffers do not grow with the number of reports', async () => {
    const script = await built('test/end-to-end/report-memory-child.ts')
    const command = ['--expose-gc', script, '100', reports]
    const { stdout } = await promisify(execFile)(process.execPath, command)
    const { before, after }: { readonly before: Held; readonly after: Held } = JSON.parse(stdout)
    // A leak of the responses of the store would take 6 kB per report.
    assert.isBelow(after.bufferBytes - before.bufferBytes, megabyte, stdout)
    assert.isBelow(after.heapBytes - before.heapBytes, 5 * megabyte, stdout)
  })
})
