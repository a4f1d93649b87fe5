import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { noteSkipped } from './skipped.ts'

const run = promisify(execFile)

/**
 * Runs a Python script with these packages, as pip names them; returns its output. The packages are installed once into a
 * separate folder under `.cache`. Skips the test if there is no Python, except in CI.
 */
export async function runPython(
  test: Mocha.Context,
  packages: readonly string[],
  script: string,
  args: readonly string[],
): Promise<string> {
  const name = packages.join('-').replace(/[^\w.-]/g, '_')
  const folder = fileURLToPath(new URL(`../../.cache/python/${name}`, import.meta.url))
  try {
    if (!existsSync(`${folder}/ready`)) await install(folder, packages)
  } catch (error) {
    if (process.env['CI']) throw error
    noteSkipped(`tests with Python's ${packages.join(', ')}`, 'install Python 3.9 or later with venv')
    test.skip()
  }
  const { stdout } = await run(`${folder}/bin/python`, ['-c', script, ...args])
  return stdout
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  await run('python3', ['-m', 'venv', '--clear', folder])
  await run(`${folder}/bin/pip`, ['install', '--quiet', '--disable-pip-version-check', ...packages])
  await run('touch', [`${folder}/ready`])
}
