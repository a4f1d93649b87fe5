import { isUtf8 } from 'node:buffer'
import type { NewRecord } from '../../log/log.ts'
import type { DeadLetter } from '../../schema/topics.ts'

/** Maximum length of a value, in UTF-16 units: a longer one would not fit a record of the log. */
export const maxDeadLetterLength = 200_000

/**
 * Returns the text of a record for its dead letter. A record that is not UTF-8 is shown as Latin-1 after a prefix: the prefix prevents a
 * replay from accepting text with wrong characters.
 */
export function textOfRecord(value: Buffer): string {
  // Three bytes for each UTF-16 unit of a full dead letter and for one more unit, which shows that the text is to be cut.
  const end = 3 * (maxDeadLetterLength + 1)
  return isUtf8(value) ? value.toString('utf8', 0, end) : `not UTF-8: ${value.toString('latin1', 0, end)}`
}

/** Returns a record of deadletters.v1. A value that would not fit the log is cut: it can be read, but not replayed. */
export function deadLetterRecord(deadLetter: DeadLetter): NewRecord {
  const fits = deadLetter.value.length <= maxDeadLetterLength
  const fitting = fits
    ? deadLetter
    : { ...deadLetter, value: deadLetter.value.slice(0, maxDeadLetterLength), message: `${deadLetter.message} (cut)` }
  return { key: null, value: Buffer.from(JSON.stringify(fitting)) }
}
