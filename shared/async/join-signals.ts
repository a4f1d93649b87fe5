/** A signal that aborts with the first of several signals. */
export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Removes the listeners from the joined signals; afterwards the signal does not abort any more. */
  readonly release: () => void
}

/**
 * Returns a signal that aborts as soon as one of several signals does, with its reason. Unlike `AbortSignal.any` it can
 * be released: on Node 20, signals of `AbortSignal.any` are retained for the lifetime of their sources.
 */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const joined = new AbortController()
  const others = signals.filter(signal => signal !== undefined)
  const release = (): void => {
    for (const other of others) other.removeEventListener('abort', abort)
  }
  const abort = (): void => {
    release()
    joined.abort(others.find(({ aborted }) => aborted)?.reason)
  }
  if (others.some(({ aborted }) => aborted)) abort()
  else for (const other of others) other.addEventListener('abort', abort, { once: true })
  return { signal: joined.signal, release }
}

/** Runs work with a signal that aborts as soon as one of several signals does. */
export async function withSignals<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, release } = joinSignals(...signals)
  try {
    return await work(signal)
  } finally {
    release()
  }
}
