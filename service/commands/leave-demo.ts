/** Removes the simulated plant; `npm run leave-demo -- --help` explains how. */
import { runTask } from './run-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run leave-demo

  Decommissions the machines of the simulated plant and deletes the records that only they use: their jobs, runs, sign-ins,
  annotations and adjustments, and the plant's groups, schedule, operators, reasons and connector. Records that other machines use stay, and so
  do the installation, its users and its keys. The plant does not start again.

Works whether the service runs or not. If it does not run, TAKT_DEMO_MACHINES, TAKT_DEMO_SEED and TAKT_DEMO_LANGUAGE must be those of the plant.
`

runCommand({ usage, options: {} }, async deps => {
  const { decommissioned, deleted } = await runTask('leave-demo', {}, deps)
  console.log(
    decommissioned + deleted === 0
      ? 'No simulated plant found: none was created, or it was removed before.'
      : `Removed the simulated plant: ${decommissioned} machines decommissioned, ${deleted} records that only they used deleted.`,
  )
})
