import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

describe('failed writes of the embedded engine', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'takt-failed-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('A restart repairs a merge with failed writes, and inserts and files with failed writes are rejected', async function () {
    if (process.platform !== 'linux') this.skip()
    // A part of 1,000 texts has 0.5 MB. The process ignores the signal of the limit, so that writes beyond it fail.
    const limited = 'trap "" XFSZ; ulimit -f 1024; exec "$0" --import tsx "$@"'
    const script = join(import.meta.dirname, '../../support/failed-writes-process.ts')
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      limited,
      process.execPath,
      script,
      join(folder, 'store'),
    ])
    const texts = (...ids: number[]) => ids.map(id => ({ id, texts: '1000', size: '500000' }))
    const rejection = {
      message: 'The engine failed to write to its disk: written data may be missing',
      retryable: true,
    }
    const broken = { reason: 'broken-on-start' }
    expect(JSON.parse(stdout)).to.deep.equal({
      isDamaged: true,
      afterMerge: texts(1, 2, 3, 4),
      rejections: [rejection, rejection, rejection, rejection],
      afterInserts: texts(1, 2, 3, 4, 6, 8),
      detached: [broken, broken, broken],
    })
  })
})
