import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { openApiDocument } from '../../../api/create-api.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('the OpenAPI document', () => {
  it('The OpenAPI linter finds no errors', async function () {
    const folder = mkdtempSync(join(tmpdir(), 'takt-openapi-'))
    try {
      const path = join(folder, 'openapi.json')
      writeFileSync(path, JSON.stringify(openApiDocument(), null, 2))
      const linted = await lint(path)
      assert.equal(linted, '')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** Runs the linter and returns its findings; '' if there are none. */
async function lint(path: string): Promise<string> {
  const packagePath = createRequire(import.meta.url).resolve('@redocly/cli/package.json')
  const cli = join(dirname(packagePath), 'bin', 'cli.js')
  const config = join(root, 'redocly.yaml')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  try {
    await promisify(execFile)(process.execPath, [cli, 'lint', path, `--config=${config}`, '--format=summary'], { env })
    return ''
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return `${String(error.stdout)}\n${error.message}`
    throw error
  }
}
