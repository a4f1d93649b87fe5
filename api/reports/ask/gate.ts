import { ApiError } from '../../../schema/errors.ts'
import { LoadShedders, callersLoad } from '../../../shared/async/load-shedder.ts'

/**
 * Lets each company have so many reports under way at once, and fewer while they would wait for long: more are refused with 429. So one
 * company can't take the others' share, and what is let through does not get slower by what is not.
 */
export function createGate(limit: number): <T>(companyId: string, work: () => Promise<T>) => Promise<T> {
  const shedders = new LoadShedders(callersLoad)
  return async (companyId, work) => {
    const shedder = shedders.of(companyId)
    if (shedder.pieces >= limit || !shedder.takes(performance.now())) {
      throw new ApiError(429, 'TooManyRequests', 'Too many reports at once', { retryAfterS: 1 })
    }
    shedder.add(1, performance.now())
    try {
      return await work()
    } finally {
      shedder.end(1, performance.now())
    }
  }
}
