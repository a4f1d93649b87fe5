import { expect } from 'chai'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { InsertFiles } from '../../../clickhouse/client/insert-files.ts'

describe('InsertFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'takt-files-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('The file of an insert exists only during the insert and is readable only by its user', async () => {
    const files = await InsertFiles.open(folder)
    const used = await files.use(Buffer.from('rows'), async path => {
      expect(readFileSync(path, 'utf8')).to.equal('rows')
      expect(statSync(path).mode & 0o777).to.equal(0o600)
      return path
    })
    expect(readdirSync(dirname(used))).not.to.contain(basename(used))
    const failed: unknown = await files
      .use(Buffer.from('rows'), path => Promise.reject(new Error(path)))
      .catch(error => error)
    const { message } = failed instanceof Error ? failed : new Error('the insert did not fail')
    expect(readdirSync(dirname(message))).not.to.contain(basename(message))
  })

  it('Files left by a crashed process are deleted when the engine opens, and other files are kept', async () => {
    const own = await InsertFiles.open(folder)
    const place = await own.use(Buffer.from('rows'), async path => {
      const name = basename(path)
      const left = name.replace(/-[^-]{8}-[^/]*$/, '-00000000-crashed-1')
      const others = ['takt-of-another-folder', 'takt']
      mkdirSync(join(folder, 'inserts'), { recursive: true })
      const folders = [dirname(path), join(folder, 'inserts')]
      for (const each of folders) for (const file of [left, ...others]) writeFileSync(join(each, file), 'left')
      await InsertFiles.open(folder)
      for (const each of folders) {
        expect(readdirSync(each)).not.to.contain(left)
        expect(readdirSync(each)).to.include.members(others)
        for (const file of others) rmSync(join(each, file))
      }
      expect(readdirSync(dirname(path))).to.contain(name)
      return dirname(path)
    })
    expect(readdirSync(place).filter(name => name.includes('crashed'))).to.deep.equal([])
  })
})
