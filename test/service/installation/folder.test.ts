import { expect } from 'chai'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InstallationError } from '../../../service/installation/check-installation.ts'
import { readFolderInstallation, writeFolderInstallation } from '../../../service/installation/folder.ts'

describe('installation.json', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'takt-folder-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('The id is read as it was written, also without the version of the format', async () => {
    expect(await readFolderInstallation(folder)).to.equal(null)
    await writeFolderInstallation(folder, 'b7d0')
    expect(await readFolderInstallation(folder)).to.equal('b7d0')
    writeFileSync(join(folder, 'installation.json'), '{"installationId":"b7d1"}')
    expect(await readFolderInstallation(folder)).to.equal('b7d1')
  })

  it('A file of a later format is rejected and stays unchanged', async () => {
    const path = join(folder, 'installation.json')
    const text = '{"format":2,"installation":{"id":"b7d0"}}'
    writeFileSync(path, text)
    const error: unknown = await readFolderInstallation(folder).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(InstallationError)
    expect(String(error)).to.include('has format 2, this version reads 1: a later version wrote it')
    expect(readFileSync(path, 'utf8')).to.equal(text)
  })
})
