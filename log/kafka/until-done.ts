import { retry } from '../../shared/async/retry.ts'
import { isAccessDenied, isFenced, isFinal } from './errors.ts'

/**
 * Asks again until it works. Rejects with the last error when the time is over or asking cannot help, and with the signal's reason once it
 * is aborted.
 */
export function untilDone<T>(timeoutMs: number, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return retry(attempt, {
    firstDelayMs: 10,
    maxDelayMs: 500,
    withinMs: timeoutMs,
    isFinal: error => isFenced(error) || isFinal(error) || isAccessDenied(error),
    ...(signal && { signal }),
  })
}
