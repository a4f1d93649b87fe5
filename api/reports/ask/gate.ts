import { ApiError } from '../../../schema/errors.ts'
import { LoadShedders, callersLoad } from '../../../shared/async/load-shedder.ts'

/**
 * Limits the concurrent reports of each company, and lowers the limit under overload; more requests are rejected with
 * 429. So no company takes the share of another company, and accepted reports do not slow down.
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
