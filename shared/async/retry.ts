import { pause } from './waiting.ts'

/** When a failed call is retried, and when retrying ends. */
export interface RetryPolicy {
  /** Delay before the first retry, ms; it doubles up to `maxDelayMs`. */
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
  /** Time after which a failure is thrown instead of retried, ms; default: no limit. */
  readonly withinMs?: number
  /** Maximum number of retries. */
  readonly maxRepeats?: number
  /** Returns whether a retry cannot resolve the error, which is then thrown. */
  readonly isFinal?: (error: unknown) => boolean
  /** Ends the retries: the signal's reason is thrown. A call in progress is not interrupted. */
  readonly signal?: AbortSignal
  /** Called after every failure that is followed by a retry. */
  readonly onRetry?: (error: unknown, attempt: number) => void
}

/**
 * Calls a function until it succeeds, with exponential backoff; throws its error if the policy allows no further retry.
 */
export async function retry<T>(call: () => Promise<T>, policy: RetryPolicy = {}): Promise<T> {
  const { firstDelayMs = 100, maxDelayMs = 10_000, withinMs = Infinity, maxRepeats = Infinity } = policy
  const { signal, onRetry, isFinal } = policy
  const deadlineMs = performance.now() + withinMs
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (isFinal?.(error) || attempt > maxRepeats || performance.now() > deadlineMs) throw error
      onRetry?.(error, attempt)
    }
    await pause(backOffMs(attempt - 1, firstDelayMs, maxDelayMs), signal)
  }
}

/** Does the same as `retry`, but resolves to undefined when the signal aborts. */
export async function retryUntilAborted<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  policy: Omit<RetryPolicy, 'signal'> = {},
): Promise<T | undefined> {
  try {
    return await retry(call, { ...policy, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/**
 * Waits until a condition is true, with exponential backoff; throws `late` after `withinMs`, and errors of the check
 * immediately.
 */
export async function waitUntil(
  isTrue: () => Promise<boolean>,
  late: Error,
  policy: Pick<RetryPolicy, 'firstDelayMs' | 'maxDelayMs' | 'withinMs' | 'signal'>,
): Promise<void> {
  const check = async (): Promise<void> => {
    if (!(await isTrue())) throw late
  }
  await retry(check, { ...policy, isFinal: error => error !== late })
}

/** Returns the delay before a retry, ms: doubles from `firstMs` to `maxMs`. */
export function backOffMs(tries: number, firstMs = 50, maxMs = 5_000): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(tries, 16))
}
