/**
 * One piece of work for all who ask while another is under way: each gets the outcome of work that began after it asked, and there
 * is never more than one at a time.
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
