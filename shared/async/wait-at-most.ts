import { setTimeout as sleep } from 'node:timers/promises'
import { joinSignals } from './join-signals.ts'

export interface WaitOptions {
  /** Ends the waiting early, as if the time were over. */
  readonly signal?: AbortSignal
  /** false: the waiting does not keep the process alive. */
  readonly ref?: boolean
}

/** Waits for the work no longer than `withinMs`, then for what `whenLate` says. The work goes on; nobody hears of it any more. */
export async function waitAtMost<T, Late>(
  withinMs: number,
  work: Promise<T>,
  whenLate: () => Late | Promise<Late>,
  { signal, ref = true }: WaitOptions = {},
): Promise<T | Late> {
  const done = new AbortController()
  const ended = joinSignals(done.signal, signal)
  const late = sleep(withinMs, undefined, { signal: ended.signal, ref }).catch(() => undefined)
  try {
    return await Promise.race([work, late.then(() => (done.signal.aborted ? never<Late>() : whenLate()))])
  } finally {
    done.abort()
  }
}

/** Settles never: the race is over. */
function never<T>(): Promise<T> {
  return new Promise(() => undefined)
}
