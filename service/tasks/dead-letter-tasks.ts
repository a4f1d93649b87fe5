import { replayDeadLetters } from '../../ingest/consume/replay-dead-letters.ts'
import { summarizeDeadLetters } from '../../ingest/consume/dead-letters-by-reason.ts'
import { deadLetterReasons } from '../../schema/requests/dead-letters.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { object, oneOf } from '../../schema/types.ts'
import { task } from './task.ts'

const timeoutMs = 10 * minuteMs

/** Counts rejected samples by reason. */
const list = task(object({}), ({ log, problems }) => summarizeDeadLetters(log, { timeoutMs, problems }))

/**
 * Resends the dead letters of a reason whose machine exists now. Returns the numbers of resent and of skipped samples.
 */
const replay = task(
  object({ reason: oneOf(deadLetterReasons) }),
  async ({ log, machines, followed, clock, problems }, { reason }) => {
    await followed.catchUp()
    return replayDeadLetters({ log, machines, reason, nowMs: clock(), timeoutMs, problems })
  },
)

export const deadLetterTasks = {
  'dead-letters-list': list,
  'dead-letters-replay': replay,
} as const
