import { replayDeadLetters } from '../../ingest/consume/replay-dead-letters.ts'
import { summarizeDeadLetters } from '../../ingest/consume/summarize-dead-letters.ts'
import { deadLetterReasons } from '../../schema/requests/dead-letters.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { object, oneOf } from '../../schema/types.ts'
import { task } from './task.ts'

/** Longest time of a reading: nobody else waits for it. */
const mostMs = 10 * minuteMs

/** How many samples were not taken, by reason. */
const list = task(object({}), ({ log, problems }) => summarizeDeadLetters(log, { mostMs, problems }))

/** Sends the dead letters of a reason again whose machine exists by now. Answers how many, and how many were passed over. */
const replay = task(
  object({ reason: oneOf(deadLetterReasons) }),
  async ({ log, machines, followed, clock, problems }, { reason }) => {
    await followed.catchUp()
    return replayDeadLetters({ log, machines, reason, nowMs: clock(), mostMs, problems })
  },
)

export const deadLetterTasks = {
  'dead-letters-list': list,
  'dead-letters-replay': replay,
} as const
