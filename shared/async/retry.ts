import { setTimeout as sleep } from 'node:timers/promises'

export interface RetryOptions {
  /** Ends the waiting: the pending call rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** Milliseconds before the first repeat; doubles up to `maxDelayMs`. */
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
  /** Told of every failure that is followed by another try. */
  readonly onRetry?: (error: unknown, attempt: number) => void
  /** Errors that no repeat can mend; they are thrown on. */
  readonly isFinal?: (error: unknown) => boolean
}

/** Calls until it succeeds, for ever, ever more slowly. */
export async function retryForever<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, firstDelayMs = 100, maxDelayMs = 10_000, onRetry, isFinal } = options
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (isFinal?.(error)) throw error
      onRetry?.(error, attempt)
    }
    await sleep(Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)), undefined, { signal })
  }
}
