import { crashOnRejection } from './crash-on-rejection.ts'

/**
 * Runs a function at an interval, without keeping the process alive; returns a function that ends this. While a run is
 * in progress, no further one starts. A run that rejects ends the process.
 */
export function every(ms: number, run: () => void | Promise<void>): () => void {
  let isRunning = false
  const runOnce = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    await run()
    isRunning = false
  }
  const timer = setInterval(() => crashOnRejection(runOnce()), ms).unref()
  return () => clearInterval(timer)
}
