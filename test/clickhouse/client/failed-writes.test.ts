import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The engine ignores a failed write: without the repair, the merged part would stay unreadable. */
describe('failed writes of the embedded engine', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'takt-failed-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('After a merge whose writes have failed, all rows are readable again', async function () {
    if (process.platform !== 'linux') this.skip()
    // A part of an insert has 0.5 MB. The process ignores the signal of the limit, so that writes beyond it fail.
    const limited = 'trap "" XFSZ; ulimit -f 1024; exec "$0" --import tsx "$@"'
    const script = join(import.meta.dirname, '../../support/failed-writes-process.ts')
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      limited,
      process.execPath,
      script,
      join(folder, 'store'),
    ])
    expect(JSON.parse(stdout)).to.deep.equal({
      isDamaged: true,
      found: [1, 2, 3, 4].map(id => ({ id, texts: '1000', size: '500000' })),
      detached: [{ reason: 'broken-on-start' }],
    })
  })
})
