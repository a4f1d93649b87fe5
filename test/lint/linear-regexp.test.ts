import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('the lint rule for regular expressions', function () {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-lint-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** The faults that oxlint tells of a TypeScript source with the project's rules. */
  async function faultsOf(source: string): Promise<readonly string[]> {
    const path = join(folder, 'source.ts')
    writeFileSync(path, source)
    const oxlint = join(root, 'node_modules/.bin/oxlint')
    const run = promisify(execFile)(oxlint, ['-c', '.oxlintrc.json', '-f', 'unix', path], { cwd: root })
    const { stdout } = await run.catch((error: unknown) => {
      if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
      throw error
    })
    return stdout.split('\n').filter(line => line.includes('linear-regexp'))
  }

  it('A regular expression that takes more than linear time is rejected', async () => {
    for (const bad of [
      'export const a = /^bearer +(.*\\S)/i',
      'export const a = /\\s*%$/',
      'export const a: RegExp = /(a+)+$/u',
      "export const a = new RegExp('(x|xy?)*$')",
    ])
      assert.lengthOf(await faultsOf(bad), 1, bad)
  })

  it('A regular expression that is built at run time is rejected', async () => {
    assert.lengthOf(await faultsOf('export const a = (text: string) => new RegExp(text)'), 1)
  })

  it('A regular expression whose time cannot be decided is rejected', async () => {
    assert.lengthOf(await faultsOf('export const a = /(?<!\\/)\\/+$/'), 1)
  })

  it('A linear regular expression is accepted', async () => {
    const source = 'export const a = [/^[\\da-f]{8}$/, /(?:^|;)x=([^;]*)/g, new RegExp("^a+$", "u")]'
    assert.deepEqual(await faultsOf(source), [])
  })
})
