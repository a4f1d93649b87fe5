export interface WaitOptions {
  /** Ends the waiting early, as if the time were over. */
  readonly signal?: AbortSignal
  /** false: the waiting does not keep the process alive. */
  readonly ref?: boolean
}

/**
 * Waits for the work no longer than `withinMs`, then for what `whenLate` says. The work goes on; nobody hears of it any more. A plain
 * timer ends it: with an abort signal of its own, a wait took ten times the CPU. An answer that has come when the time is over counts,
 * also where the process was held and could not take it in time.
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
