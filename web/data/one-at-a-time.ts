/**
 * Runs a task one at a time. Calls during a run share one following run, which begins when the current one ends. Each
 * call gets the outcome of a run that began after it.
 */
export function oneAtATime(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = () => {
    const run = task().finally(() => {
      if (running === run) running = null
    })
    running = run
    return run
  }
  return () => {
    if (next !== null) return next
    if (running === null) return start()
    const after = () => {
      next = null
      return start()
    }
    next = running.then(after, after)
    return next
  }
}
