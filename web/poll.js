const longestWaitMs = 30_000

/** Runs a task again and again, `everyMs()` apart, one at a time, not while the page is hidden, and ever more rarely while it fails. Returns what ends it. */
export function poll(everyMs, onFailure, task) {
  let timer = null
  let failures = 0
  let isOver = false
  let isRunning = false

  const run = async () => {
    if (isOver || isRunning || document.hidden) return
    clearTimeout(timer)
    isRunning = true
    let waitMs
    try {
      await task()
      failures = 0
      waitMs = everyMs()
    } catch (error) {
      failures += 1
      waitMs = Math.max(Math.min(everyMs() * 2 ** failures, longestWaitMs), (error.retryAfterS ?? 0) * 1000)
      if (!isOver) onFailure(error)
    }
    isRunning = false
    if (!isOver) timer = setTimeout(run, waitMs)
  }
  const wake = () => void run()
  document.addEventListener('visibilitychange', wake)
  wake()
  return () => {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', wake)
  }
}
