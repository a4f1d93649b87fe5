export interface WaitOptions {
  /** Ends the waiting early, as if the time were over. */
  readonly signal?: AbortSignal
  /** false: the waiting does not keep the process alive. */
  readonly ref?: boolean
}

/**
 * Waits for the work no longer than `withinMs`, then for what `whenLate` says. The work goes on; nobody hears of it any more. A plain
 * timer ends it: with an abort signal of its own, a wait took ten times the CPU.
 */
export function waitAtMost<T, Late>(
  withinMs: number,
  work: Promise<T>,
  whenLate: () => Late | Promise<Late>,
  { signal, ref = true }: WaitOptions = {},
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const askLate = async (): Promise<Late> => whenLate()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
    const giveUp = (): void => {
      end()
      askLate().then(resolve, reject)
    }
    const timer = setTimeout(giveUp, withinMs)
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
