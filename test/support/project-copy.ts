import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Addition, touchedFiles } from './addition.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders that the checks do not read, or write. */
const uncopied = new Set(['.cache', '.git', 'coverage', 'data', 'dist', 'node_modules', 'test/developing'])

/** Variables of this test run: with them, a run of tests in the copy would delete folders of this one. */
const ofTestRun = new Set(['MOCHA_WORKER_ID', 'NODE_V8_COVERAGE', 'TAKT_TEST_TIMES', 'TEST_BUILT_FOLDER'])

/** A copy of the project in a temporary folder. */
export interface ProjectCopy {
  /** Path of the copy. */
  readonly folder: string
  /** Makes the changes of an addition. Throws an Error that names the file and the missing text. */
  readonly apply: (addition: Pick<Addition, 'changes'>) => void
  readonly read: (path: string) => string
  /** Runs a command in the copy; returns its exit status and its output. */
  readonly run: (
    command: string,
    ...args: readonly string[]
  ) => { readonly status: number | null; readonly output: string }
  readonly remove: () => void
}

/** Copies the project without its packages, which the copy shares. */
export function copyProject(): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'takt-developing-'))
  cpSync(root, folder, { recursive: true, filter: path => !uncopied.has(relative(root, path)) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTestRun.has(name)))
  const path = [join(root, 'node_modules', '.bin'), environment['PATH']].join(delimiter)
  return {
    folder,
    apply(addition) {
      for (const change of addition.changes) {
        const file = join(folder, change.path)
        const text = change.edit(existsSync(file) ? readFileSync(file, 'utf8') : null)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      }
    },
    read: name => readFileSync(join(folder, name), 'utf8'),
    run(command, ...args) {
      const { status, stdout, stderr } = spawnSync(command, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { ...environment, PATH: path },
        maxBuffer: 100_000_000,
      })
      return { status, output: stdout + stderr }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Files of several additions, each once. */
export function filesOf(additions: readonly Addition[]): readonly string[] {
  return [...new Set(additions.flatMap(touchedFiles))].sort()
}
