/**
 * Shares one execution among all calls during an execution: each call gets the outcome of an execution that started
 * after the call, and there is never more than one execution at a time.
 */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null
  let next: Promise<T> | null = null

  function begin(): Promise<T> {
    next = null
    const round = work().finally(() => {
      if (current === round) current = null
    })
    current = round
    return round
  }
  return () => {
    if (current === null) return begin()
    next ??= current.then(begin, begin)
    return next
  }
}
