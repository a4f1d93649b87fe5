/**
 * Mutation test: `npm run mutate -- FILE... [--max 15] [--seed 1] [--jobs 2] [--tests 4]`. Changes one place of a product file at a time, in a
 * copy of the project, and runs the nearest tests of the file. A mutant that none of them rejects is printed: it shows a statement that no
 * test needs.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf } from './mutation/mutants.ts'
import { sample } from './mutation/sample.ts'
import { testsOf } from './mutation/tests-of.ts'

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    max: { type: 'string', default: '15' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    tests: { type: 'string', default: '4' },
  },
})
const max = Number(values.max)
const seed = Number(values.seed)
const jobs = Number(values.jobs)
const maxTests = Number(values.tests)
if (files.length === 0 || !(max >= 1) || !(jobs >= 1) || !(maxTests >= 1) || Number.isNaN(seed)) {
  console.error(
    'Usage: npm run mutate -- FILE... [--max MUTANTS_PER_FILE] [--seed N] [--jobs N] [--tests TEST_FILES_PER_MUTANT]',
  )
  process.exit(2)
}

/** A test file may take this many times as long with a mutant as without, and this much more. */
const maxSlowdown = 3
const extraMs = 10_000

/** This file runs only if it is started by its real path. */
const mocha = realpathSync('node_modules/mocha/lib/cli/cli.js')

/** Times that test files may take with a mutant, measured when a mutant first needs them. */
const maxMs = new Map<string, Promise<number>>()

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(existsSync)
const copies = Array.from({ length: jobs }, copyProject)
const totals = { killed: 0, survived: 0, untested: 0 }
try {
  for (const file of files) await mutateFile(relative('.', resolve(file)))
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
const { killed, survived, untested } = totals
console.log(`\n${killed} of ${killed + survived} mutants were killed (${percent(killed, killed + survived)})`)
if (untested > 0) console.log(`${untested} files have no test that imports them, and were skipped`)

function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'takt-mutate-'))
  for (const path of tracked) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(path, join(copy, path))
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}

async function mutateFile(file: string): Promise<void> {
  const source = readFileSync(file, 'utf8')
  const tests = testsOf(file, tracked).slice(0, maxTests)
  if (tests.length === 0) {
    totals.untested += 1
    console.log(`${file}: no test imports it`)
    return
  }
  const mutants = sample(mutantsOf(file, source), max, seed)
  let survived = 0
  const queue = [...mutants]
  await Promise.all(
    copies.map(async copy => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        writeFileSync(join(copy, file), applied(source, mutant))
        if (!(await passAll(copy, tests))) continue
        survived += 1
        console.log(`  ${described(file, source, mutant)}`)
      }
      writeFileSync(join(copy, file), source)
    }),
  )
  totals.survived += survived
  totals.killed += mutants.length - survived
  console.log(`${file}: ${mutants.length - survived} of ${mutants.length} killed by ${tests.length} test files`)
}

function applied(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

/** Resolves to whether all test files pass; those after the first that fails do not run. */
async function passAll(cwd: string, tests: readonly string[]): Promise<boolean> {
  for (const test of tests) if (!(await pass(cwd, test, await maxMsOf(test)))) return false
  return true
}

/** Returns the time that a test file may take with a mutant. Rejects if it fails without one. */
function maxMsOf(test: string): Promise<number> {
  const known = maxMs.get(test) ?? measure(test)
  maxMs.set(test, known)
  return known
}

async function measure(test: string): Promise<number> {
  const began = performance.now()
  if (!(await pass('.', test, 600_000))) throw new Error(`${test} fails without a mutant`)
  return (performance.now() - began) * maxSlowdown + extraMs
}

/** Resolves to whether a test file passes within the time. */
function pass(cwd: string, test: string, timeoutMs: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const args = ['--import', 'tsx', mocha, '--bail', '--exit', test]
    const run = spawn(process.execPath, args, { cwd, stdio: 'ignore', detached: true })
    const timer = setTimeout(() => run.pid && process.kill(-run.pid, 'SIGKILL'), timeoutMs)
    run.on('error', fail)
    run.on('exit', code => {
      clearTimeout(timer)
      done(code === 0)
    })
  })
}

function described(file: string, source: string, { start, end, replacement }: Mutant): string {
  const line = source.slice(0, start).split('\n').length
  const brief = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}...` : text).replace(/\s+/g, ' ')
  return `${file}:${line}: ${brief(source.slice(start, end))} → ${brief(replacement)}`
}

function percent(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${Math.round((100 * part) / whole)} %`
}
