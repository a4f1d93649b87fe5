/**
 * Has a task run one at a time. All who ask while it runs get one more run, which begins when that one ends. Each is told how the run
 * ended that began after it asked.
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
