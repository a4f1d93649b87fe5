import { ApiError } from '../../schema/errors.ts'
import { FairQueue } from '../../shared/fair-queue.ts'
import { Shares } from '../../shared/shares.ts'
import type { Mappings } from './mappings.ts'

/** Limits the imports of one process: the file of each is on disk, and the jobs of the running one in memory. */
export interface ImportLimiter {
  /** Reserves a slot for a company's import before its file is read. Returns the function that releases it. Throws an `ApiError` 429 if no slot is left. */
  enter(companyId: string): () => void
  /** Runs a company's import, with the mappings of files: one at a time, the companies in rotation. */
  run<Result>(companyId: string, task: (mappings: Mappings) => Promise<Result>): Promise<Result>
}

const maxSlots = 8
/** One running, one uploading. */
const maxOfCompany = 2

/** Creates the limiter; it runs one import at a time. */
export function createImportLimiter(mappings: Mappings): ImportLimiter {
  const queue = new FairQueue(1)
  const slots = new Shares({ limit: maxSlots })
  return {
    enter(companyId) {
      if (slots.usedBy(companyId) >= maxOfCompany || !slots.reserve(companyId, 1))
        throw new ApiError(429, 'TooManyRequests', 'Too many imports at once', { retryAfterS: 5 })
      let isReserved = true
      return () => {
        if (isReserved) slots.release(companyId, 1)
        isReserved = false
      }
    },
    run: (companyId, task) => queue.run(companyId, () => task(mappings)),
  }
}
