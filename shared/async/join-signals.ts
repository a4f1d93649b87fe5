/** A signal that aborts with the first of several signals. */
export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Takes it off the others: it does not abort any more. */
  readonly release: () => void
}

/**
 * A signal that aborts as soon as one of the others does, with its reason. Unlike one of `AbortSignal.any`, it leaves nothing at the
 * others once it is released or aborted: on Node 20 each of these stays known to its sources for as long as they live.
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

/** Does the work with a signal that aborts as soon as one of the others does. */
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
