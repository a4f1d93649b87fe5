import type { DeadLetterReason } from '../topics.ts'
import { instant, int, list, named, object, type Of, oneOf, text, withExamples } from '../types.ts'

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

const reason = named('DeadLetterReason', oneOf(deadLetterReasons))

/** `value`: the start of what came; `machineIds`: machines that it names, as far as it can be read. */
const deadLetter = named('DeadLetter', object({ at: instant, message: text, machineIds: list(text), value: text }))

/** Answer of `GET /dead-letters`: by reason, most first; of each reason the latest, newest first. */
export const deadLettersAnswer = named(
  'DeadLetters',
  object({
    reasons: list(
      named(
        'DeadLettersOfReason',
        object({ reason, count: int, first: instant, last: instant, latest: list(deadLetter) }),
      ),
    ),
  }),
)
export type DeadLettersAnswer = Of<typeof deadLettersAnswer>

/** Body of `POST /dead-letters/replay`. */
export const replayInput = named('ReplayInput', withExamples(object({ reason }), { reason: 'unknown_machine' }))

/** Its answer. `passedOver`: they would be refused again, mostly as their machine does not exist or is not the sender's. */
export const replayAnswer = named('Replayed', object({ replayed: int, passedOver: int }))
