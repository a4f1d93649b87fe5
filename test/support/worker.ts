import { takeCoverage } from 'node:v8'
import { startWatchdog } from '../../service/exit/watchdog.ts'

/** Loaded before the tests, also by mocha's first process, which starts the workers and hands on its environment. */
const isWorker = process.env['MOCHA_WORKER_ID'] !== undefined
/** For writing the coverage and removing the folders of the tests. */
const exitWithinMs = 30_000

if (isWorker) {
  // A worker measures its own coverage. That of the processes it starts would add little and takes half a second of each stop.
  delete process.env['NODE_V8_COVERAGE']
  // Mocha gives a worker one second to end, then sends SIGTERM, which would come amid the writing of the coverage.
  const watchdog = startWatchdog(() => undefined)
  process.on('SIGTERM', () => undefined)
  process.once('exit', () => {
    watchdog.arm(exitWithinMs)
    takeCoverage()
  })
}
