import { ApiError } from '../../schema/errors.ts'
import { createSerial } from '../../processors/runtime/serial.ts'
import type { Mappings } from './mappings.ts'

/** Runs an import with the mappings of files. Rejects with an `ApiError` 429 where too many wait already. */
export type ImportGate = <Result>(run: (mappings: Mappings) => Promise<Result>) => Promise<Result>

/** Imports of one process: each holds a file's jobs in memory. */
const mostWaiting = 8

/** One import after the other. */
export function createImportGate(mappings: Mappings): ImportGate {
  const serial = createSerial()
  let waiting = 0
  return async run => {
    if (waiting >= mostWaiting)
      throw new ApiError(429, 'TooManyRequests', 'Too many imports at once', { retryAfterS: 5 })
    waiting++
    try {
      return await serial(() => run(mappings))
    } finally {
      waiting--
    }
  }
}
