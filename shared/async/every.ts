/** Runs a function at an interval, without keeping the process alive; returns a function that ends this. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms).unref()
  return () => clearInterval(timer)
}
