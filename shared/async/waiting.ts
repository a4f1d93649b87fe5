import { once } from 'node:events'

/** Notifies waiters: every `ring` releases all current waiters; a ring without a waiter is not kept. */
export class Notifier {
  #heard: (() => void) | undefined
  #next: Promise<void> | undefined

  /** Resolves at the next ring. */
  wait(): Promise<void> {
    this.#next ??= new Promise(resolve => (this.#heard = resolve))
    return this.#next
  }

  ring(): void {
    this.#heard?.()
    this.#heard = undefined
    this.#next = undefined
  }
}

/** Resolves after `ms` or as soon as the signal is aborted; never rejects. */
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
 * The promise's outcome, or a rejection as soon as the signal aborts. Leaves no listener: one on a signal of `AbortSignal.any` would
 * keep the signal, and with it what the promise resolved to, for as long as the process runs.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('Given up', { cause: signal.reason }))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const done = (): void => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(done).catch(reject)
  })
}
