import { retry } from '../shared/async/retry.ts'
import { LogUnavailable } from './log.ts'

const withinMs = 30_000

/**
 * Retries a request while the log is unavailable, for the start of a process: brokers may be starting too, and a new
 * topic is not known to every broker. Rejects with the last `LogUnavailable` after half a minute, and with any other
 * error immediately.
 */
export function untilAvailable<T>(request: () => Promise<T>): Promise<T> {
  return retry(request, {
    firstDelayMs: 50,
    maxDelayMs: 1_000,
    withinMs,
    isFinal: error => !(error instanceof LogUnavailable),
  })
}
