/** Lists dead letters by reason and replays them; `npm run dead-letters -- --help` explains how. */
import type { DeadLetterSummary } from '../../ingest/consume/dead-letters-by-reason.ts'
import { deadLetterReasons } from '../../schema/requests/dead-letters.ts'
import type { RunTaskDeps } from './run-task-locally.ts'
import { runTask } from './run-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run dead-letters [-- --replay <reason>]

  Without an option: prints the number of rejected samples by reason.
  --replay <reason>   resends the samples of this reason whose machine exists now, e.g. unknown_machine

The settings of the service name the log. On the embedded log this works whether the service runs or not.
`

runCommand({ usage, options: { replay: { type: 'string' } } }, async ({ values, ...deps }) => {
  if (values.replay === undefined) await list(deps)
  else await replay(reasonOf(values.replay), deps)
})

function reasonOf(text: string): (typeof deadLetterReasons)[number] {
  const reason = deadLetterReasons.find(known => known === text)
  if (!reason) throw new Error(`Unknown reason '${text}': use one of ${deadLetterReasons.join(', ')}`)
  return reason
}

async function list(deps: RunTaskDeps): Promise<void> {
  const summaries = await runTask('dead-letters-list', {}, deps)
  console.log(summaries.length === 0 ? 'No dead letters.' : summaries.map(lineOf).join('\n'))
}

function lineOf({ reason, count, firstMs, lastMs, message }: DeadLetterSummary): string {
  const [first, last] = [firstMs, lastMs].map(ms => new Date(ms).toISOString())
  return `${String(count).padStart(8)}  ${reason}\n          from ${first} to ${last}; last: ${message}`
}

async function replay(reason: (typeof deadLetterReasons)[number], deps: RunTaskDeps): Promise<void> {
  const { replayed, passedOver } = await runTask('dead-letters-replay', { reason }, deps)
  console.log(`${replayed} resent, ${passedOver} skipped: their machine does not exist, or belongs to another company.`)
}
