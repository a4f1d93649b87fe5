import type { DeadLetterReason } from '../topics.ts'
import * as t from '../types.ts'

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

const reason = t.named('DeadLetterReason', t.oneOf(deadLetterReasons))

/** `value`: start of the record; `machineIds`: its machines, if the record can be decoded. */
const deadLetter = t.named(
  'DeadLetter',
  t.object({ at: t.instant, message: t.text, machineIds: t.list(t.text), value: t.text }),
)

/**
 * Response of `GET /dead-letters`: reasons by descending `count` of samples, each with its latest dead letters, newest
 * first.
 */
export const deadLettersResponse = t.named(
  'DeadLetters',
  t.object({
    reasons: t.list(
      t.named(
        'DeadLettersOfReason',
        t.object({
          reason,
          count: t.described(t.int, 'Number of samples'),
          first: t.instant,
          last: t.instant,
          latest: t.list(deadLetter),
        }),
      ),
    ),
  }),
)
export type DeadLettersResponse = t.Infer<typeof deadLettersResponse>

/** Body of `POST /dead-letters/replay`. */
export const replayInput = t.named('ReplayInput', t.withExamples(t.object({ reason }), { reason: 'unknown_machine' }))

/** Response of `POST /dead-letters/replay`, in samples. */
export const replayResponse = t.named(
  'Replayed',
  t.object({
    replayed: t.described(t.int, 'Number of samples'),
    passedOver: t.described(
      t.int,
      "Number of samples that would be rejected again, usually because their machine does not exist or is not the sender's",
    ),
  }),
)
