import { retry } from '../shared/async/retry.ts'
import { LogUnavailable } from './log.ts'

const withinMs = 30_000

/**
 * Asks the log until it answers: for what a process needs before it can begin, as brokers may be coming up, and a topic that was made a moment
 * ago is not known everywhere. Rejects with the last `LogUnavailable` after half a minute, and with any other error at once.
 */
export function untilAvailable<T>(ask: () => Promise<T>): Promise<T> {
  return retry(ask, {
    firstDelayMs: 50,
    maxDelayMs: 1_000,
    withinMs,
    isFinal: error => !(error instanceof LogUnavailable),
  })
}
