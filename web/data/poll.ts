import { RequestFailed } from './client.ts'

const longestWaitMs = 30_000

/**
 * Runs a task again and again, `everyMs()` apart, one at a time, not while the page is hidden, and ever more rarely while it
 * fails. Returns what ends it.
 */
export function poll(everyMs: () => number, onFailure: (error: unknown) => void, task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isOver = false
  let isRunning = false

  const run = async () => {
    if (isOver || isRunning || document.hidden) return
    clearTimeout(timer)
    isRunning = true
    let waitMs = everyMs()
    try {
      await task()
      failures = 0
    } catch (error) {
      failures += 1
      const askedMs = error instanceof RequestFailed ? error.retryAfterMs : 0
      waitMs = Math.max(Math.min(everyMs() * 2 ** failures, longestWaitMs), askedMs)
      if (!isOver) onFailure(error)
    }
    isRunning = false
    if (!isOver) timer = setTimeout(start, waitMs)
  }
  const start = () => {
    run().catch(reportError)
  }
  document.addEventListener('visibilitychange', start)
  window.addEventListener('online', start)
  start()
  return () => {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', start)
    window.removeEventListener('online', start)
  }
}
