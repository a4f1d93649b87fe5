export interface WaitOptions {
  /** Ends the waiting early, as if the time were over. */
  readonly signal?: AbortSignal
  /** false: the waiting does not keep the process alive. */
  readonly ref?: boolean
}

/**
 * Waits for the work up to `withinMs`, then returns the result of `whenLate`. The work continues and its outcome is
 * ignored. A plain timer ends the wait: with an abort signal, a wait took ten times the CPU. A result that is available
 * at the timeout counts, also if the event loop was blocked.
 */
export function withTimeout<T, Late>(
  withinMs: number,
  work: Promise<T>,
  whenLate: () => Late | Promise<Late>,
  { signal, ref = true }: WaitOptions = {},
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const askLate = async (): Promise<Late> => whenLate()
    const end = (): void => {
      clearTimeout(timer)
      clearImmediate(last)
      signal?.removeEventListener('abort', giveUp)
    }
    const giveUp = (): void => {
      end()
      askLate().then(resolve, reject)
    }
    let last: NodeJS.Immediate | undefined
    const timer = setTimeout(() => (last = setImmediate(giveUp)), withinMs)
    if (!ref) timer.unref()
    work.then(
      outcome => {
        end()
        resolve(outcome)
      },
      (error: unknown) => {
        end()
        reject(error)
      },
    )
    if (signal?.aborted === true) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
