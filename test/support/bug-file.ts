import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { noteSkipped } from './skipped.ts'

const folder = fileURLToPath(new URL('../../../shared/data/bugs/', import.meta.url))

/** Reads a recorded input that failed once. Skips the test if the recordings are not there. */
export function bugFile(test: Mocha.Context, name: string): Buffer {
  if (!existsSync(folder)) {
    noteSkipped('tests with recorded inputs', `put the recordings into ${folder}`)
    test.skip()
  }
  return readFileSync(`${folder}${name}`)
}
