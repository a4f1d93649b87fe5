import { replayDeadLetters } from '../../ingest/consume/replay-dead-letters.ts'
import { summarizeDeadLetters } from '../../ingest/consume/summarize-dead-letters.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import { object, oneOf } from '../../schema/types.ts'
import { task } from './task.ts'

/** Reasons why a sample or a record may have been refused. */
export const deadLetterReasons = [
  'invalid_json',
  'invalid_sample',
  'name_too_long',
  'unknown_machine',
  'future_timestamp',
  'past_timestamp',
  'too_many_keys',
  'too_many_conditions',
  'refused_by_store',
] as const satisfies readonly DeadLetterReason[]

/** How many samples were not taken, by reason. */
const list = task(object({}), ({ log }) => summarizeDeadLetters(log))

/** Sends the dead letters of a reason again whose machine exists by now. Answers how many, and how many were passed over. */
const replay = task(object({ reason: oneOf(deadLetterReasons) }), async ({ log, machines, followed }, { reason }) => {
  await followed.catchUp()
  return replayDeadLetters({ log, machines, reason })
})

export const deadLetterTasks = {
  'dead-letters-list': list,
  'dead-letters-replay': replay,
} as const
