import { ApiError } from '../../../schema/errors.ts'
import { Backlogs, callersBacklog } from '../../../shared/async/backlog.ts'

/**
 * Lets each company have so many reports under way at once, and fewer while they would wait for long: more are refused with 429. So one
 * company can't take the others' share, and what is let through does not get slower by what is not.
 */
export function createGate(limit: number): <T>(companyId: string, work: () => Promise<T>) => Promise<T> {
  const backlogs = new Backlogs(callersBacklog)
  return async (companyId, work) => {
    const backlog = backlogs.of(companyId)
    if (backlog.pieces >= limit || !backlog.takes(performance.now())) {
      throw new ApiError(429, 'TooManyRequests', 'Too many reports at once', { retryAfterS: 1 })
    }
    backlog.add(1, performance.now())
    try {
      return await work()
    } finally {
      backlog.end(1, performance.now())
    }
  }
}
