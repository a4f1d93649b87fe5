/** Takes the simulated plant out; `npm run leave-demo -- --help` tells how. */
import { performTask } from './perform-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run leave-demo

  Decommissions the machines of the simulated plant and deletes what they alone use: their jobs, runs, sign-ins, annotations and
  adjustments, and the plant's groups, schedule, operators and reasons. What other machines use stays, and so do the installation,
  its users and its keys. The plant does not start again.

Works whether the service runs or not. Where it does not run, TAKT_DEMO_MACHINES and TAKT_DEMO_SEED must be those of the plant.
`

runCommand({ usage, options: {} }, async deps => {
  const { decommissioned, deleted } = await performTask('leave-demo', {}, deps)
  console.log(
    decommissioned + deleted === 0
      ? 'There is no simulated plant, or it was left before.'
      : `The simulated plant is left: ${decommissioned} machines are decommissioned, ${deleted} records that they alone used are deleted.`,
  )
})
