import { backOffMs, pause } from '../../shared/async/waiting.ts'
import { isFenced, isFinal } from './errors.ts'

/** Asks again until it works, the time is over (the signal aborted), or asking can't help; rejects with the last error then. */
export async function untilDone<T>(timeoutMs: number, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (isFenced(error) || isFinal(error) || performance.now() > deadline || signal?.aborted === true) throw error
      await pause(backOffMs(tries, 10, 500), signal)
    }
  }
}
