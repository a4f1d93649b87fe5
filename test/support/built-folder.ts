import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Loaded before the tests: the first process names the folder of built scripts, which its workers share, and deletes it. */
const variable = 'TEST_BUILT_FOLDER'

/** Path of the folder. It exists once `built` has built the scripts. */
export const builtFolder = process.env[variable] ?? ownFolder()
process.env[variable] = builtFolder

/** Within the project, so that packages are found. */
function ownFolder(): string {
  const path = fileURLToPath(new URL(join('../../dist', `test-${process.pid}`), import.meta.url))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
