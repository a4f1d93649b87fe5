/** Shows what was not taken and why, and sends it again; `npm run dead-letters -- --help` tells how. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { createMachineDirectory } from '../../ingest/consume/directory.ts'
import { replayDeadLetters } from '../../ingest/consume/replay-dead-letters.ts'
import { summarizeDeadLetters, type DeadLetterSummary } from '../../ingest/consume/summarize-dead-letters.ts'
import { followRecords } from '../../processors/records/follow.ts'
import { Records } from '../../processors/records/records.ts'
import type { Log } from '../../log/log.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import { readConfig } from '../config.ts'
import { openLog } from '../open-clients.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run dead-letters [-- --replay <reason>]

  Without an option: how many samples were not taken, by reason.
  --replay <reason>   sends those of the reason again whose machine exists by now, e.g. unknown_machine

The settings of the service name the log. The embedded log belongs to one process: stop the service first.
`
const reasons: readonly DeadLetterReason[] = [
  'invalid_json',
  'invalid_sample',
  'unknown_machine',
  'future_timestamp',
  'past_timestamp',
  'refused_by_store',
]

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { replay: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help) {
    console.log(usage)
    return
  }
  const reason = values.replay === undefined ? null : reasonOf(values.replay)
  const config = readConfig(process.env)
  const log = await openLog(config, Date.now, pino({ level: config.TAKT_LOG_LEVEL }, pino.destination(2)), line =>
    console.error(line),
  )
  try {
    await (reason === null ? list(log) : replay(log, reason))
  } finally {
    await log.close()
  }
}

function reasonOf(text: string): DeadLetterReason {
  const reason = reasons.find(known => known === text)
  if (!reason) throw new Error(`There is no reason '${text}'; there are ${reasons.join(', ')}`)
  return reason
}

async function list(log: Log): Promise<void> {
  const summaries = await summarizeDeadLetters(log)
  console.log(summaries.length === 0 ? 'No dead letters.' : summaries.map(lineOf).join('\n'))
}

function lineOf({ reason, count, firstMs, lastMs, message }: DeadLetterSummary): string {
  const [first, last] = [firstMs, lastMs].map(ms => new Date(ms).toISOString())
  return `${String(count).padStart(8)}  ${reason}\n          from ${first} to ${last}; last: ${message}`
}

async function replay(log: Log, reason: DeadLetterReason): Promise<void> {
  const records = new Records()
  const machines = createMachineDirectory(records)
  const follower = await followRecords(log, records)
  try {
    const { replayed, passedOver } = await replayDeadLetters({ log, machines, reason })
    console.log(
      `${replayed} sent again, ${passedOver} passed over: their machine does not exist, or is not the sender's.`,
    )
  } finally {
    await follower.stop()
  }
}

runCommand(main)
