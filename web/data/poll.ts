import { RequestFailed } from './client.ts'
import { onBack } from './reach.ts'

const maxWaitMs = 30_000

/**
 * Polls a task at intervals of `everyMs()`, one run at a time, not while the page is hidden, with back-off after
 * failures; immediately when the service is reachable again. Calls `onEnd` after each run with its failure, or null.
 * Returns a function that stops polling.
 */
export function poll(everyMs: () => number, onEnd: (failure: unknown) => void, task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isOver = false
  let isRunning = false

  const run = async () => {
    if (isOver || isRunning || document.hidden) return
    clearTimeout(timer)
    isRunning = true
    let failure: unknown = null
    try {
      await task()
      failures = 0
    } catch (error) {
      failure = error
      failures += 1
    }
    if (!isOver) onEnd(failure)
    const retryAfterMs = failure instanceof RequestFailed ? failure.retryAfterMs : 0
    // A task that is seldom run anyway does not come sooner for having failed.
    const slowestMs = Math.max(everyMs(), maxWaitMs)
    const waitMs =
      failures === 0 ? everyMs() : Math.max(Math.min(everyMs() * 2 ** (failures - 1), slowestMs), retryAfterMs)
    isRunning = false
    if (!isOver) timer = setTimeout(start, waitMs)
  }
  const start = () => {
    run().catch(reportError)
  }
  document.addEventListener('visibilitychange', start)
  window.addEventListener('online', start)
  const endOnBack = onBack(start)
  start()
  return () => {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', start)
    window.removeEventListener('online', start)
    endOnBack()
  }
}
