/** Replaces a lost log with a new one; `npm run adopt-log -- --help` explains how. */
import { adoptLog, type Adoption } from '../installation/adopt.ts'
import { requireInstallation } from '../installation/require-installation.ts'
import { createContext } from '../context.ts'
import { Teardown } from '../teardown.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run adopt-log

  Creates a new, empty log for an installation whose log is lost and whose store exists. Restores all records (machines, users, keys,
  jobs and so on) from the store, and continues numbering above the numbers that were assigned. Try to restore a backup of the log
  first: data that only the log had is lost. Stop every process of the service before. If it is interrupted, run it again.

The settings of the service name the log, the store and the data folder.
`

runCommand({ usage, options: {} }, async ({ config, logger }) => {
  requireInstallation(config, 'store')
  const teardown = new Teardown(logger)
  try {
    const context = await createContext({ config, logger, clock: Date.now }, teardown)
    console.log(summaryOf(await adoptLog(context)))
  } finally {
    await teardown.stop()
  }
})

function summaryOf({ installationId, restored, newestSampleMs }: Adoption): string {
  const count = Object.values(restored).reduce((sum, each) => sum + each, 0)
  const newest = newestSampleMs === null ? 'no sample' : `samples until ${new Date(newestSampleMs).toISOString()}`
  return [
    `Installation ${installationId} continues with a new log.`,
    `Restored  ${count} records from the store, among them ${restored['machine'] ?? 0} machines, ${restored['key'] ?? 0} keys and ${restored['user'] ?? 0} users.`,
    `Kept      The data of the store: ${newest}, the reports and the audit trail.`,
    'Lost      Samples that were accepted but not yet stored; dead letters; changes and rebuilds in progress; stored responses of Idempotency-Keys.',
    'When the service starts, it recomputes every hour from the stored samples. Reports are complete when the lag in /health is 0.',
  ].join('\n')
}
