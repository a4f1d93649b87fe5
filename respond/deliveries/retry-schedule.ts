import { hourMs, minuteMs, secondMs } from '../../shared/time/units.ts'

/** Delays between the attempts to send a message. */
const delaysMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
] as const
/** Limit of the delay that a receiver requests. */
const maxRetryAfterMs = 10 * hourMs

/** Number of attempts before a message is abandoned. */
export const maxAttempts = delaysMs.length + 1

/**
 * Returns the delay after a failed attempt, ms; null: no further attempt. `attempts`: number of attempts so far;
 * `retryAfterMs`: the delay that the receiver requested.
 */
export function retryDelayMs(attempts: number, retryAfterMs: number | null): number | null {
  const delayMs = delaysMs[attempts - 1]
  return delayMs === undefined ? null : Math.max(delayMs, Math.min(retryAfterMs ?? 0, maxRetryAfterMs))
}

/** Time from the first attempt to each repetition, ms. */
const dueMs = delaysMs.map((_, index) => delaysMs.slice(0, index + 1).reduce((sum, delayMs) => sum + delayMs, 0))

/**
 * Returns how many attempts a delivery of this age has had according to the schedule, because attempts are not stored. At
 * most `maxAttempts - 1`: one attempt always follows.
 */
export function attemptsByAge(ageMs: number): number {
  return dueMs.filter(due => due <= ageMs).length
}
