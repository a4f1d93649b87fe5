import type { EmbeddedLogOptions } from '../log/embedded/embedded-log.ts'
import type { LostRecords } from '../log/log.ts'
import type { Problems } from '../shared/problems.ts'

/** Creates the reporter that adds damage of the embedded log in `path` to the problems of this process. */
export function logDamageReporter(
  problems: Problems,
  path: string,
): Pick<EmbeddedLogOptions, 'onLoss' | 'onLossClosed' | 'onDamagedFile'> {
  return {
    onLoss: loss => {
      const { topic, partition, from: offset } = loss
      const message =
        `The log has lost ${lossText(loss)}: a file in ${path} was damaged. Restore log and store from one backup. If there is none, ` +
        'accept the loss by npm run log-damage -- --accept'
      problems.report(keyOf(loss), { code: 'log_records_lost', message, topic, partition, offset })
    },
    onLossClosed: loss => problems.clear(keyOf(loss)),
    onDamagedFile: cause => {
      const message =
        `A file of the log in ${path} is damaged, and writes may fail: ${cause}. Stop Takt, and restore log and store from one backup. If ` +
        'there is none: npm run log-damage -- --repair'
      problems.report('log_file_damaged', { code: 'log_file_damaged', message })
    },
  }
}

function keyOf({ topic, partition, from }: LostRecords): string {
  return `log_records_lost/${topic}/${partition}/${from}`
}

/** Formats topic, partition, offsets and times of lost records in one line. */
export function lossText({ topic, partition, from, to, afterMs, beforeMs }: LostRecords): string {
  const after = afterMs === null ? [] : [`after ${new Date(afterMs).toISOString()}`]
  const before = beforeMs === null ? [] : [`before ${new Date(beforeMs).toISOString()}`]
  const times = [...after, ...before].join(' and ')
  const location = `${to - from} records of ${topic}, partition ${partition}, offsets ${from} to ${to - 1}`
  return times === '' ? location : `${location}, written ${times}`
}
