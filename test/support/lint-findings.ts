import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** In a `describe`: a function that lints a TypeScript source with the project's rules and returns the findings of one rule. */
export function useLintFindings(rule: string): (source: string) => Promise<readonly string[]> {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-lint-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  return async source => {
    const path = join(folder, 'source.ts')
    writeFileSync(path, source)
    const oxlint = join(root, 'node_modules/.bin/oxlint')
    const run = promisify(execFile)(oxlint, ['-c', '.oxlintrc.json', '-f', 'unix', path], { cwd: root })
    const { stdout } = await run.catch((error: unknown) => {
      if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
      throw error
    })
    return stdout.split('\n').filter(line => line.includes(rule))
  }
}
