/** A promise with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** A promise with external `resolve` and `reject` (`Promise.withResolvers`, which Node 20 lacks). */
export function deferred<T>(): Deferred<T> {
  const settle: { resolve: (value: T) => void; reject: (error: unknown) => void } = { resolve: noop, reject: noop }
  const promise = new Promise<T>((resolve, reject) => Object.assign(settle, { resolve, reject }))
  return { promise, ...settle }
}

function noop(): void {}
