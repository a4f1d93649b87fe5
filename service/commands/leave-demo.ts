/** Takes the simulated plant out; `npm run leave-demo -- --help` tells how. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import type { LeftDemo } from '../../demo/leave.ts'
import { readConfig } from '../config.ts'
import { performTask } from './perform-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run leave-demo

  Decommissions the machines of the simulated plant and deletes what they alone use: their jobs, runs, sign-ins, annotations and
  adjustments, and the plant's groups, schedule, operators and reasons. What other machines use stays, and so do the installation,
  its users and its keys. The plant does not start again.

Works whether the service runs or not. Where it does not run, TAKT_DEMO_MACHINES and TAKT_DEMO_SEED must be those of the plant.
`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) {
    console.log(usage)
    return
  }
  const config = readConfig(process.env)
  const logger = pino({ level: config.TAKT_LOG_LEVEL }, pino.destination(2))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const { decommissioned, deleted } = (await performTask('leave-demo', {}, config, logger)) as LeftDemo
  console.log(
    decommissioned + deleted === 0
      ? 'There is no simulated plant, or it was left before.'
      : `The simulated plant is left: ${decommissioned} machines are decommissioned, ${deleted} records that they alone used are deleted.`,
  )
}

runCommand(main)
