import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { built } from '../support/built.ts'

/** As many show a leak; 3,000 show a small one. */
const reports = process.env['TAKT_MEMORY_REPORTS'] ?? '400'
const megabyte = 1_000_000

interface Held {
  readonly heapBytes: number
  readonly bufferBytes: number
}

describe('reports and memory', function () {
  this.timeout(600_000 + Number(reports) * 2_000)

  it('leave heap and buffers where they were', async () => {
    const script = await built('test/end-to-end/report-memory-child.ts')
    const command = ['--expose-gc', script, '100', reports]
    const { stdout } = await promisify(execFile)(process.execPath, command)
    const { before, after }: { readonly before: Held; readonly after: Held } = JSON.parse(stdout)
    // Each answer of the store that was kept made 6 kB a report here.
    assert.isBelow(after.bufferBytes - before.bufferBytes, megabyte, stdout)
    assert.isBelow(after.heapBytes - before.heapBytes, 5 * megabyte, stdout)
  })
})
