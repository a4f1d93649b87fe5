interface Refusal {
  readonly status: number
  readonly retryAfterMs: number
}

const maxRetries = 4
const usualWaitMs = 1000
/** Maximum time to wait for a retry; beyond it the failure is shown. */
const maxWaitMs = 10_000

/**
 * Wait before a read that was refused is asked again, ms; null: it is not asked again. A service that has too much to do answers 429 or
 * 503. `chance` (0 to 1) spreads requests that were refused together.
 */
export function retryWaitMs({ status, retryAfterMs }: Refusal, retries: number, chance: number): number | null {
  if ((status !== 429 && status !== 503) || retries >= maxRetries) return null
  const waitMs = retryAfterMs > 0 ? retryAfterMs : usualWaitMs
  return waitMs > maxWaitMs ? null : waitMs + chance * usualWaitMs * (retries + 1)
}
