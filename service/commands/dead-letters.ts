/** Shows what was not taken and why, and sends it again; `npm run dead-letters -- --help` tells how. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import type { ReplayResult } from '../../ingest/consume/replay-dead-letters.ts'
import type { DeadLetterSummary } from '../../ingest/consume/summarize-dead-letters.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import { readConfig } from '../config.ts'
import { deadLetterReasons } from '../tasks/dead-letter-tasks.ts'
import { performTask } from './perform-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run dead-letters [-- --replay <reason>]

  Without an option: how many samples were not taken, by reason.
  --replay <reason>   sends those of the reason again whose machine exists by now, e.g. unknown_machine

The settings of the service name the log. On the embedded log this works whether the service runs or not.
`
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { replay: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help) {
    console.log(usage)
    return
  }
  const reason = values.replay === undefined ? null : reasonOf(values.replay)
  const config = readConfig(process.env)
  const logger = pino({ level: config.TAKT_LOG_LEVEL }, pino.destination(2))
  const perform: Perform = (name, payload) => performTask(name, payload, config, logger)
  await (reason === null ? list(perform) : replay(perform, reason))
}

type Perform = (name: string, payload: object) => Promise<unknown>

function reasonOf(text: string): DeadLetterReason {
  const reason = deadLetterReasons.find(known => known === text)
  if (!reason) throw new Error(`There is no reason '${text}'; there are ${deadLetterReasons.join(', ')}`)
  return reason
}

async function list(perform: Perform): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const summaries = (await perform('dead-letters-list', {})) as readonly DeadLetterSummary[]
  console.log(summaries.length === 0 ? 'No dead letters.' : summaries.map(lineOf).join('\n'))
}

function lineOf({ reason, count, firstMs, lastMs, message }: DeadLetterSummary): string {
  const [first, last] = [firstMs, lastMs].map(ms => new Date(ms).toISOString())
  return `${String(count).padStart(8)}  ${reason}\n          from ${first} to ${last}; last: ${message}`
}

async function replay(perform: Perform, reason: DeadLetterReason): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const { replayed, passedOver } = (await perform('dead-letters-replay', { reason })) as ReplayResult
  console.log(
    `${replayed} sent again, ${passedOver} passed over: their machine does not exist, or is not the sender's.`,
  )
}

runCommand(main)
