import { isUtf8 } from 'node:buffer'
import type { NewRecord } from '../../log/log.ts'
import type { DeadLetter } from '../../schema/topics.ts'

/** In UTF-16 units: longer values would not fit a record of the log. */
export const maxDeadLetterLength = 200_000

/**
 * Text of a record for its dead letter. A record that is not UTF-8 is shown as Latin-1 behind a prefix: the prefix keeps a replay from
 * accepting a text with replaced letters.
 */
export function textOfRecord(value: Buffer): string {
  // Three bytes for each UTF-16 unit: what a dead letter can hold, and one unit more, so that it is known to be cut.
  const end = 3 * (maxDeadLetterLength + 1)
  return isUtf8(value) ? value.toString('utf8', 0, end) : `not UTF-8: ${value.toString('latin1', 0, end)}`
}

/** A record of deadletters.v1. A value too long to fit the log is cut: it can be read, but not replayed. */
export function deadLetterRecord(deadLetter: DeadLetter): NewRecord {
  const fits = deadLetter.value.length <= maxDeadLetterLength
  const kept = fits
    ? deadLetter
    : { ...deadLetter, value: deadLetter.value.slice(0, maxDeadLetterLength), message: `${deadLetter.message} (cut)` }
  return { key: null, value: Buffer.from(JSON.stringify(kept)) }
}
