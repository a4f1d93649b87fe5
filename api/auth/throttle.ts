import { createHash, randomBytes } from 'node:crypto'
import { MemoryStore } from 'express-rate-limit'
import { ApiError } from '../../schema/errors.ts'
import { InvalidToken } from './authenticate.ts'

/** Counts failed attempts by name (an address, an account), with a bounded number of counters. */
export interface Throttle {
  /** Throws an `ApiError` 429 if the name has used up its attempts. */
  requireAttempts(name: string): Promise<void>
  /** Counts an attempt; throws as `requireAttempts` does. */
  count(name: string): Promise<void>
  /**
   * Runs work that may fail. It is counted before it runs, so that concurrent attempts count, and subtracted if it
   * succeeds or fails for another reason than an `InvalidToken`. Rejects as `requireAttempts` and the work do.
   */
  attempt<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Period in which lookups of unknown keys and sessions are counted. */
export const guessWindowMs = 60_000

/** Number of counters that all names share. The mapping is random, so that it cannot be predicted. */
const counters = 65_536

export function createThrottle({ limit, windowMs }: { readonly limit: number; readonly windowMs: number }): Throttle {
  const hits = new MemoryStore()
  hits.windowMs = windowMs
  const salt = randomBytes(16)
  const counterOf = (name: string): string =>
    String(createHash('sha256').update(salt).update(name).digest().readUInt32BE() % counters)

  const rejectAbove = (max: number, counted: Awaited<ReturnType<MemoryStore['get']>>): void => {
    const untilMs = counted?.resetTime?.getTime() ?? 0
    const leftMs = untilMs - Date.now()
    if (!counted || counted.totalHits <= max || leftMs <= 0) return
    throw new ApiError(429, 'TooManyRequests', 'Too many attempts', { retryAfterS: Math.ceil(leftMs / 1000), limit })
  }

  const count = async (name: string) => rejectAbove(limit, await hits.increment(counterOf(name)))
  const uncount = (name: string) => hits.decrement(counterOf(name))
  return {
    requireAttempts: async name => rejectAbove(limit - 1, await hits.get(counterOf(name))),
    count,
    async attempt(name, work) {
      await count(name)
      try {
        const result = await work()
        await uncount(name)
        return result
      } catch (error) {
        if (!(error instanceof InvalidToken)) await uncount(name)
        throw error
      }
    },
  }
}
