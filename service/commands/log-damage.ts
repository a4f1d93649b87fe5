/**
 * Lists records that the embedded log has lost, accepts the loss, or repairs its files; `npm run log-damage -- --help`
 * explains how.
 */
import { join } from 'node:path'
import { repairEmbeddedLog } from '../../log/embedded/repair.ts'
import type { LostRecords } from '../../log/log.ts'
import type { Config } from '../config.ts'
import { lossText } from '../log-damage.ts'
import type { RunTaskDeps } from './run-task-locally.ts'
import { runTask } from './run-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run log-damage [-- --accept | --repair]

  Without an option: lists the records that the embedded log has lost since it was created.
  --accept   accepts these losses and records when. /health no longer lists them as problems
  --repair   makes a log usable whose files cannot be read: keeps the records that can be read, moves the damaged files to log/lost in the
             data folder, and lists the records that are lost. Stop the service first

Try to restore log and store from one backup before you accept a loss. The settings of the service name the data folder. --accept and the
list work whether the service runs or not.
`

runCommand(
  { usage, options: { accept: { type: 'boolean', default: false }, repair: { type: 'boolean', default: false } } },
  async ({ values, ...deps }) => {
    if (values.repair) await repair(deps.config)
    if (values.accept) await accept(deps)
    else await list(deps)
  },
)

async function repair(config: Config): Promise<void> {
  if (config.KAFKA_BROKERS.length > 0) throw new Error('The log is on Kafka (KAFKA_BROKERS): there is no embedded log')
  await repairEmbeddedLog(join(config.TAKT_DATA_DIR, 'log'))
  console.log('Repaired the log.')
}

async function list(deps: RunTaskDeps): Promise<void> {
  const losses = await runTask('log-damage-list', {}, deps)
  console.log(losses.length === 0 ? 'The log has lost no records.' : losses.map(lineOf).join('\n'))
}

async function accept(deps: RunTaskDeps): Promise<void> {
  const accepted = await runTask('log-damage-accept', {}, deps)
  console.log(accepted.length === 0 ? 'There is no loss to accept.' : accepted.map(lineOf).join('\n'))
}

function lineOf(loss: LostRecords): string {
  const state = loss.acceptedMs === null ? 'not accepted' : `accepted ${new Date(loss.acceptedMs).toISOString()}`
  return `${lossText(loss)}; found ${new Date(loss.foundMs).toISOString()}; ${state}`
}
