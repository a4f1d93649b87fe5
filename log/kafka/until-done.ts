import { retry } from '../../shared/async/retry.ts'
import { isAccessDenied, isFenced, isFinal } from './errors.ts'

/**
 * Retries until an attempt succeeds. Rejects with the last error after the timeout or if a retry cannot help, and with
 * the signal's reason when it is aborted.
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
