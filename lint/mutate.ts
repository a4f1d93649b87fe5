/**
 * Mutation test: `npm run mutate -- FILE... [--max 15] [--seed 1] [--jobs 2]`. Changes one place of a product file at a time, in a copy of the
 * project, and runs the tests of the file. A mutant that no test rejects is printed: it shows a statement that no test needs.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
  },
})
const max = Number(values.max)
const seed = Number(values.seed)
const jobs = Number(values.jobs)
if (files.length === 0 || !(max >= 1) || !(jobs >= 1) || Number.isNaN(seed)) {
  console.error('Usage: npm run mutate -- FILE... [--max MUTANTS_PER_FILE] [--seed N] [--jobs N]')
  process.exit(2)
}

/** A run of the tests may take this many times as long with a mutant as without, and this much more. */
const maxSlowdown = 3
const extraMs = 20_000

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
  const tests = testsOf(file, tracked)
  if (tests.length === 0) {
    totals.untested += 1
    console.log(`${file}: no test imports it`)
    return
  }
  const began = performance.now()
  if (!(await pass(copies[0] ?? '.', tests, 600_000)))
    throw new Error(`The tests of ${file} fail without a mutant: ${tests.join(' ')}`)
  const timeoutMs = (performance.now() - began) * maxSlowdown + extraMs
  const mutants = sample(mutantsOf(file, source), max, seed)
  const survivors: Mutant[] = []
  const queue = [...mutants]
  await Promise.all(
    copies.map(async copy => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        writeFileSync(join(copy, file), applied(source, mutant))
        if (await pass(copy, tests, timeoutMs)) survivors.push(mutant)
      }
      writeFileSync(join(copy, file), source)
    }),
  )
  totals.survived += survivors.length
  totals.killed += mutants.length - survivors.length
  console.log(`${file}: ${mutants.length - survivors.length} of ${mutants.length} killed by ${tests.length} test files`)
  for (const mutant of survivors.sort((a, b) => a.start - b.start)) console.log(`  ${described(file, source, mutant)}`)
}

function applied(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

/** Resolves to whether the tests pass within the time. */
function pass(cwd: string, tests: readonly string[], timeoutMs: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const run = spawn('npx', ['mocha', '--bail', '--exit', ...tests], { cwd, stdio: 'ignore', detached: true })
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
