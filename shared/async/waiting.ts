import { once } from 'node:events'

/** Notifies waiting callers: `ring` releases all current waiters. A `ring` without waiters has no effect. */
export class Notifier {
  #resolve: (() => void) | undefined
  #next: Promise<void> | undefined

  /** Resolves at the next call of `ring`. */
  wait(): Promise<void> {
    this.#next ??= new Promise(resolve => (this.#resolve = resolve))
    return this.#next
  }

  ring(): void {
    this.#resolve?.()
    this.#resolve = undefined
    this.#next = undefined
  }
}

/** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted === true) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}

/** Resolves when the signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/**
 * Returns the outcome of a promise, or rejects as soon as the signal aborts. It removes its listener: a listener on a
 * signal of `AbortSignal.any` would retain the signal and the promise's result for the lifetime of the process.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('Aborted', { cause: signal.reason }))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const done = (): void => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(done).catch(reject)
  })
}
