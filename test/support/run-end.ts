import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { dirname, join } from 'node:path'
import { takeCoverage } from 'node:v8'
import { startWatchdog } from '../../service/exit/watchdog.ts'

/**
 * Loaded before the tests: controls the end of a run. Mocha's main process also loads it; it starts the workers and passes on its
 * environment.
 */
const isWorker = process.env['MOCHA_WORKER_ID'] !== undefined
/** For writing the coverage and removing the folders of the tests. */
const exitWithinMs = 180_000
/** Connections that close on their own need a few seconds. */
const closeWithinMs = 10_000

const coverage = process.env['NODE_V8_COVERAGE']
/** Has a file for each worker that has not written its coverage; undefined: coverage is not measured. */
const pendingFolder = coverage && `${coverage}-pending`

if (isWorker) {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) coverWithoutCounts()
  // A worker measures its own coverage. That of its child processes would add little and takes half a second of each stop.
  delete process.env['NODE_V8_COVERAGE']
  // Mocha gives a worker one second to end, then sends SIGTERM, which would interrupt the writing of the coverage.
  const watchdog = startWatchdog(() => undefined)
  process.on('SIGTERM', () => undefined)
  const pending = pendingFolder && join(pendingFolder, String(process.pid))
  if (pending) {
    mkdirSync(dirname(pending), { recursive: true })
    writeFileSync(pending, '')
  }
  process.once('exit', () => {
    watchdog.arm(exitWithinMs)
    takeCoverage()
    if (pending) rmSync(pending, { force: true })
  })
} else if (pendingFolder) process.once('exit', () => awaitCoverage(pendingFolder))

/** Blocks until the workers have written their coverage: c8 reads it when mocha's first process has ended. */
function awaitCoverage(folder: string): void {
  const untilMs = performance.now() + exitWithinMs
  const isPending = () => existsSync(folder) && readdirSync(folder).some(isAlive)
  while (isPending() && performance.now() < untilMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  rmSync(folder, { recursive: true, force: true })
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

/** Makes V8 record whether code ran, not how often: counting takes a sixth of the time of the tests. */
function coverWithoutCounts(): void {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true })
}

/** A run without workers ends on its own; if a test leaves a resource open, the run fails and names it. */
export const mochaHooks = {
  afterAll() {
    if (!isWorker) setTimeout(failAsOpen, closeWithinMs).unref()
  },
}

function failAsOpen(): void {
  const open = process.getActiveResourcesInfo().join(', ')
  process.stderr.write(`\nThe tests have ended, but they leave open: ${open}\n`)
  // After mocha, which sets the exit code by the number of failures.
  process.once('exit', () => {
    process.exitCode = 1
  })
  process.exit()
}
