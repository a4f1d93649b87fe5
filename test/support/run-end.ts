import { Session } from 'node:inspector'
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

if (isWorker) {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) coverWithoutCounts()
  // A worker measures its own coverage. That of its child processes would add little and takes half a second of each stop.
  delete process.env['NODE_V8_COVERAGE']
  // Mocha gives a worker one second to end, then sends SIGTERM, which would interrupt the writing of the coverage.
  const watchdog = startWatchdog(() => undefined)
  process.on('SIGTERM', () => undefined)
  process.once('exit', () => {
    watchdog.arm(exitWithinMs)
    takeCoverage()
  })
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
