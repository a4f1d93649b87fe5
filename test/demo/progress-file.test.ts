import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readProgress, writeProgress } from '../../demo/progress-file.ts'

describe('the progress of the simulated plant', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-demo-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('The progress of the simulated plant is read as it was written, and no temporary file remains', async () => {
    const path = join(folder, 'data', 'demo.json')
    await writeProgress(path, { sentMs: 1, actedMs: 2 })
    await writeProgress(path, { sentMs: 3, actedMs: 4, hasConnector: true })
    expect(await readProgress(path)).to.deep.equal({ sentMs: 3, actedMs: 4, hasConnector: true })
    expect(readdirSync(join(folder, 'data'))).to.deep.equal(['demo.json'])
  })

  it('A missing or invalid progress file of the simulated plant is read as null', async () => {
    const path = join(folder, 'demo.json')
    expect(await readProgress(path)).to.equal(null)
    for (const text of ['', '{', 'null', '{"sentMs": 1}', '{"sentMs": "1", "actedMs": 2}']) {
      writeFileSync(path, text)
      expect(await readProgress(path), text).to.equal(null)
    }
  })
})
