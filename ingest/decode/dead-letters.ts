import type { NewRecord } from '../../log/log.ts'
import type { DeadLetter } from '../../schema/topics.ts'

/** In UTF-16 units: longer values would not fit a record of the log. */
export const maxDeadLetterLength = 200_000

/** A record of deadletters.v1. A value too long to fit the log is cut: it can be read, but not replayed. */
export function deadLetterRecord(deadLetter: DeadLetter): NewRecord {
  const fits = deadLetter.value.length <= maxDeadLetterLength
  const kept = fits
    ? deadLetter
    : { ...deadLetter, value: deadLetter.value.slice(0, maxDeadLetterLength), message: `${deadLetter.message} (cut)` }
  return { key: null, value: Buffer.from(JSON.stringify(kept)) }
}
