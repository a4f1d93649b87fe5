/** Recomputes all derived data from samples and records; `npm run rebuild -- --help` explains how. */
import type { RebuildResponse } from '../../schema/requests/recomputes.ts'
import { openRebuildControl, type RebuildControl } from './rebuild-control.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run rebuild [-- --company <id or name>] [--detach]

  Recomputes all derived data from the samples and the records: hours, days, results of jobs, the tables of records. Ids do not change,
  reports stay correct during the rebuild, and new samples have priority. Shows the progress until the rebuild is complete.

  --company <id or name>  only this company
  --detach                only starts the rebuild; GET /recomputes returns the progress

The settings of the service name the log. On the embedded log this works whether the service runs or not; on Kafka a service with the
process role must run.
`
const options = {
  company: { type: 'string' },
  detach: { type: 'boolean', default: false },
} as const

runCommand({ usage, options }, async ({ values, config, logger }) => {
  const control = await openRebuildControl(config, logger)
  try {
    const { id } = await control.runTask('rebuild-start', { company: values.company ?? null })
    if (values.detach && !control.isOwn) console.log(`Started rebuild ${id}.`)
    else await follow(control, id)
  } finally {
    await control.close()
  }
})

async function follow(control: RebuildControl, id: string): Promise<void> {
  let shown = ''
  for (;;) {
    const status = await control.runTask('rebuild-status', { id })
    const line = lineOf(status)
    if (line !== shown) console.log(line)
    shown = line
    if (status.finishedAt !== null) return
  }
}

function lineOf({ totalHours, doneHours, finishedAt }: RebuildResponse): string {
  if (finishedAt !== null) return `Done: ${doneHours} machine-hours recomputed.`
  if (totalHours === null) return 'Waiting for the processors.'
  const percent = totalHours === 0 ? 100 : Math.floor((doneHours / totalHours) * 100)
  return `${percent}%: ${doneHours} of ${totalHours} machine-hours.`
}
