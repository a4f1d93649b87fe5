import { ApiError } from '../../../schema/errors.ts'

/** Lets each company have so many reports under way at once; more are refused with 429, so that one can't take the others' share. */
export function createGate(limit: number): <T>(companyId: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, number>()
  return async (companyId, work) => {
    const before = underWay.get(companyId) ?? 0
    if (before >= limit) throw new ApiError(429, 'TooManyRequests', 'Too many reports at once', { retryAfterS: 1 })
    underWay.set(companyId, before + 1)
    try {
      return await work()
    } finally {
      const after = (underWay.get(companyId) ?? 1) - 1
      if (after > 0) underWay.set(companyId, after)
      else underWay.delete(companyId)
    }
  }
}
