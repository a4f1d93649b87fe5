/**
 * Runs work in the background that handles its own errors. Each call states in a comment why the work cannot reject. A
 * rejection is a bug: the error is thrown uncaught, so that the process ends with its cause.
 */
export function crashOnRejection(work: Promise<unknown>): void {
  work.catch((error: unknown) =>
    setImmediate(() => {
      throw error
    }),
  )
}
