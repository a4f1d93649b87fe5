import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { openDataFolder } from '../../service/data-folder.ts'
import { startChild } from '../support/child-service.ts'

describe('files of the service', function () {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-private-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /**
   * Returns the paths under the folder, including the folder, that other users can access. The store may remove a part
   * meanwhile.
   */
  const open = (path: string): readonly string[] => {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return []
    const below = stats.isDirectory() ? entriesOf(path).flatMap(name => open(join(path, name))) : []
    return stats.mode & 0o077 ? [path, ...below] : below
  }

  it('Files of the service are readable only by its user, with any umask', async () => {
    const before = process.umask(0o000)
    const dataDir = join(folder, 'data')
    const service = await startChild({ TAKT_DATA_DIR: dataDir })
    try {
      assert.equal((await service.call('GET', '/user-token')).status, 200)
      assert.deepEqual(open(dataDir), [])
      await service.stop()
      assert.deepEqual(open(dataDir), [])
      assert.isAbove(readdirSync(dataDir).length, 1)
    } finally {
      process.umask(before)
      await service.kill()
    }
  })

  it('Existing files in the data folder lose the rights of other users', async () => {
    mkdirSync(join(folder, 'log'))
    writeFileSync(join(folder, 'log', '000001.ldb'), 'x')
    writeFileSync(join(folder, 'script'), 'x')
    const outside = mkdtempSync(join(tmpdir(), 'takt-outside-'))
    symlinkSync(outside, join(folder, 'link'))
    for (const [name, mode] of [
      ['.', 0o755],
      ['log', 0o755],
      ['log/000001.ldb', 0o644],
      ['script', 0o755],
    ] as const)
      chmodSync(join(folder, name), mode)
    chmodSync(outside, 0o755)
    await openDataFolder(folder)
    assert.equal(statSync(outside).mode & 0o777, 0o755, 'the target of a symbolic link is unchanged')
    rmSync(join(folder, 'link'))
    rmSync(outside, { recursive: true })
    assert.deepEqual(open(folder), [])
    assert.equal(statSync(join(folder, 'script')).mode & 0o777, 0o700)
    assert.equal(statSync(join(folder, 'log', '000001.ldb')).mode & 0o777, 0o600)
  })
})

/** Returns the names in a folder; none if it was just removed. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
