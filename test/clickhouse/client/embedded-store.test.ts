import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { environmentWithoutTakt, startVariables } from '../../support/child-service.ts'

describe('embedded store', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'takt-parallel-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('Look-ups and writes of the log do not wait for long statements of all other workloads', async () => {
    const script = join(import.meta.dirname, '../../support/parallel-statements-process.ts')
    const env = { ...environmentWithoutTakt(), ...startVariables }
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, folder], { env })
    expect(JSON.parse(stdout)).to.deep.equal({ hasEnded: false })
  })

  it('The image sets the variables of `npm start`', () => {
    const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8')
    for (const [name, value] of Object.entries(startVariables)) expect(dockerfile).to.contain(`ENV ${name}=${value}\n`)
  })
})
