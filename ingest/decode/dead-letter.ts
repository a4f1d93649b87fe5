import type { NewRecord } from '../../log/log.ts'
import type { DeadLetter } from '../../schema/topics.ts'

/** In UTF-16 units: longer values would not fit a record of the log. */
export const maxLetterLength = 200_000

/** A record of deadletters.v1. A value too long to fit the log is cut: it can be read, but not replayed. */
export function deadLetterRecord(letter: DeadLetter): NewRecord {
  const fits = letter.value.length <= maxLetterLength
  const kept = fits
    ? letter
    : { ...letter, value: letter.value.slice(0, maxLetterLength), message: `${letter.message} (cut)` }
  return { key: null, value: Buffer.from(JSON.stringify(kept)) }
}
