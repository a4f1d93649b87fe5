import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Context } from 'mocha'
import { noteSkipped } from '../../support/skipped.ts'

const folder = fileURLToPath(new URL('../../../../shared/data/nist/', import.meta.url))

/** Path of a file of the recorded data; skips the test if it is missing. */
export function recorded(test: Context, file: string): string {
  const path = folder + file
  if (existsSync(path)) return path
  noteSkipped('tests on recorded machines', `${path} is missing`)
  return test.skip()
}
