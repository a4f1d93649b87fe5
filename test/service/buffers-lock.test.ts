import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lockBuffers } from '../../service/buffers-lock.ts'
import { StartError } from '../../service/start-error.ts'

describe('lock of the buffers of connectors', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-buffers-lock-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const failure = (path: string) => lockBuffers(path).catch((error: unknown) => error)

  it('A folder has one lock at a time, and the error names the setting', async () => {
    const path = join(folder, 'connect-buffers')
    const unlock = await lockBuffers(path)
    const error = await failure(path)
    expect(error).to.be.instanceOf(StartError)
    expect(String(error)).to.include(`${path} are in use by another process`).and.include('TAKT_DATA_DIR')
    await unlock()
    await (
      await lockBuffers(path)
    )()
  })

  it('A folder that is a file is reported', async () => {
    const path = join(folder, 'file')
    writeFileSync(path, '')
    const error = await failure(path)
    expect(error).to.be.instanceOf(StartError)
    expect(String(error)).to.include('TAKT_DATA_DIR')
  })
})
