/** Starts the service in this process with a clock that stands still; arguments: the time, UTC ms. Prints its address. */
import type { Batch, Log } from '../../log/log.ts'
import { readEnvironment } from '../../service/environment.ts'
import { openLog, toStderr } from '../../service/open-clients.ts'
import { startTakt } from '../../service/start/takt.ts'
import { Problems } from '../../shared/problems.ts'
import { withMethods } from '../support/with-methods.ts'

const nowMs = Number(process.argv[2])
const clock = () => nowMs
const { config, logger } = readEnvironment(process.env)
const problems = new Problems({ clock, logger })
const log =
  config.KAFKA_BROKERS.length > 0 ? await openLog({ config, clock, logger, problems, report: toStderr }) : null
const takt = await startTakt({ config, logger, clock, ...(log && { log: withTimesUntil(log, nowMs), problems }) })
process.once('SIGTERM', () => void stop())
process.stdout.write(`${takt.url}\n`)

async function stop(): Promise<void> {
  await takt.stop()
  await log?.close()
  process.exit(0)
}

/** A log whose records have no later times: a broker uses the time of the system, at which deadlines of commands have passed. */
function withTimesUntil(log: Log, untilMs: number): Log {
  const cut = (batch: Batch): Batch => ({
    ...batch,
    records: batch.records.map(record => ({ ...record, timestampMs: Math.min(record.timestampMs, untilMs) })),
  })
  return withMethods(log, {
    consume: ({ onBatch, ...options }) => log.consume({ ...options, onBatch: batch => onBatch(cut(batch)) }),
    follow: ({ onBatch, ...options }) => log.follow({ ...options, onBatch: batch => onBatch(cut(batch)) }),
  })
}
