import { pause } from './waiting.ts'

/** When a failed call is retried, and when retrying ends. */
export interface RetryPolicy {
  /** Milliseconds before the first repeat; doubles up to `maxDelayMs`. */
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
  /** A failure later than this is thrown on; without it calls are repeated for ever. */
  readonly withinMs?: number
  /** A failure after this number of retries is thrown. */
  readonly maxRepeats?: number
  /** Errors that a retry cannot resolve; they are thrown. */
  readonly isFinal?: (error: unknown) => boolean
  /** Ends the repeats: the signal's reason is thrown. A call under way is not cut short. */
  readonly signal?: AbortSignal
  /** Told of every failure that is followed by another try. */
  readonly onRetry?: (error: unknown, attempt: number) => void
}

/** Calls until it succeeds, ever more slowly; throws as the policy says. */
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

/** As `retry`, but resolves to undefined once the signal is aborted. */
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

/** Asks until the answer is yes, ever more slowly; throws `late` when the time is over, and failures of asking at once. */
export async function until(
  isTrue: () => Promise<boolean>,
  late: Error,
  policy: Pick<RetryPolicy, 'firstDelayMs' | 'maxDelayMs' | 'withinMs' | 'signal'>,
): Promise<void> {
  const ask = async (): Promise<void> => {
    if (!(await isTrue())) throw late
  }
  await retry(ask, { ...policy, isFinal: error => error !== late })
}

/** Waits between tries: doubles from `firstMs` to `mostMs`. */
export function backOffMs(tries: number, firstMs = 50, mostMs = 5_000): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(tries, 16))
}
