import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('the lint rule for plain English', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-lint-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Findings of the rule in a TypeScript source. */
  async function findingsIn(source: string): Promise<readonly string[]> {
    const path = join(folder, 'source.ts')
    writeFileSync(path, source)
    const run = promisify(execFile)(
      join(root, 'node_modules/.bin/oxlint'),
      ['-c', '.oxlintrc.json', '-f', 'unix', path],
      { cwd: root },
    )
    const { stdout } = await run.catch((error: unknown) => {
      if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
      throw error
    })
    return stdout.split('\n').filter(line => line.includes('plain-english'))
  }

  it('A comment or an error message with a rejected form is a finding', async () => {
    const sources = [
      '/** Whoever reads asks the log first. */\nexport const a = 1',
      "export const a = new Error('The document is not taken and somebody waits')",
    ]
    for (const source of sources) assert.isNotEmpty(await findingsIn(source), source)
  })

  it('Plain English is accepted', async () => {
    const source = "/** Reads the log from an offset. */\nexport const a = new Error('The document was rejected')"
    assert.deepEqual(await findingsIn(source), [])
  })
})
