import { expect } from 'chai'
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDiskSpace } from '../../../service/monitoring/disk-space.ts'
import { Problems } from '../../../shared/problems.ts'

describe('checkDiskSpace', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'takt-space-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('Too little free space is a problem until there is enough; an unreadable folder changes nothing', async function () {
    // The file system of /proc has no free space.
    if (process.platform !== 'linux') this.skip()
    const problems = new Problems()
    const path = join(folder, 'data')
    const codesAfter = async (target: string) => {
      symlinkSync(target, path)
      await checkDiskSpace(path, problems)
      unlinkSync(path)
      return problems.open().map(({ code }) => code)
    }
    expect(await codesAfter(folder)).to.deep.equal([])
    expect(await codesAfter('/proc')).to.deep.equal(['disk_full'])
    expect(await codesAfter('/does/not/exist')).to.deep.equal(['disk_full'])
    expect(problems.open()[0]?.message).to.include('Less than 256 MB are free')
    expect(await codesAfter(folder)).to.deep.equal([])
  })
})
