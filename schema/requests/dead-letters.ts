import type { DeadLetterReason } from '../topics.ts'
import { described, instant, int, list, named, object, type Infer, oneOf, text, withExamples } from '../types.ts'

/** Reasons for which a sample or a record may be rejected. */
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
  'undecodable_record',
] as const satisfies readonly DeadLetterReason[]

const reason = named('DeadLetterReason', oneOf(deadLetterReasons))

/** `value`: start of the record; `machineIds`: its machines, if the record can be decoded. */
const deadLetter = named('DeadLetter', object({ at: instant, message: text, machineIds: list(text), value: text }))

/**
 * Response of `GET /dead-letters`: reasons by descending `count` of samples, each with its latest dead letters, newest
 * first.
 */
export const deadLettersResponse = named(
  'DeadLetters',
  object({
    reasons: list(
      named(
        'DeadLettersOfReason',
        object({
          reason,
          count: described(int, 'Number of samples'),
          first: instant,
          last: instant,
          latest: list(deadLetter),
        }),
      ),
    ),
  }),
)
export type DeadLettersResponse = Infer<typeof deadLettersResponse>

/** Body of `POST /dead-letters/replay`. */
export const replayInput = named('ReplayInput', withExamples(object({ reason }), { reason: 'unknown_machine' }))

/** Response of `POST /dead-letters/replay`, in samples. */
export const replayResponse = named(
  'Replayed',
  object({
    replayed: described(int, 'Number of samples'),
    passedOver: described(
      int,
      "Number of samples that would be rejected again, usually because their machine does not exist or is not the sender's",
    ),
  }),
)
