/** Goes on with a new log where the old one is lost; `npm run adopt-log -- --help` tells how. */
import { adoptLog, type Adoption } from '../installation/adopt.ts'
import { requireInstallation } from '../installation/require-installation.ts'
import { createContext } from '../context.ts'
import { Teardown } from '../teardown.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run adopt-log

  Goes on with a new, empty log where the old one is lost for good and only the store is left. All records (machines, users, keys, jobs
  and so on) are restored from the store, and new numbers go on above those that were given out. Try to restore a backup of the log
  first: what the log alone had is lost. Stop every process of the service before. Where it is interrupted, run it again.

The settings of the service name the log, the store and the data folder.
`

runCommand({ usage, options: {} }, async ({ config, logger }) => {
  requireInstallation(config, 'store')
  const teardown = new Teardown(logger)
  try {
    const context = await createContext({ config, logger, clock: Date.now }, teardown)
    console.log(told(await adoptLog(context)))
  } finally {
    await teardown.stop()
  }
})

function told({ installationId, restored, newestSampleMs }: Adoption): string {
  const count = Object.values(restored).reduce((sum, each) => sum + each, 0)
  const newest = newestSampleMs === null ? 'no sample' : `samples until ${new Date(newestSampleMs).toISOString()}`
  return [
    `Installation ${installationId} goes on with a new log.`,
    `Restored  ${count} records from the store, among them ${restored['machine'] ?? 0} machines, ${restored['key'] ?? 0} keys and ${restored['user'] ?? 0} users.`,
    `Kept      What the store has: ${newest}, the reports and the audit trail.`,
    'Lost      Samples that were accepted but had not yet come into the store; dead letters; changes and rebuilds under way; answers to Idempotency-Keys.',
    'When the service starts, it makes every hour again from the stored samples. Reports are right when the lag in /health is 0.',
  ].join('\n')
}
