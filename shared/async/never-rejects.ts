/**
 * Lets work run on by itself that handles its own failures. Each use says why it cannot reject. Where it does so all the same, this
 * program is wrong: the error is thrown where nobody catches it, so that the process ends with its cause.
 */
export function neverRejects(work: Promise<unknown>): void {
  work.catch((error: unknown) =>
    setImmediate(() => {
      throw error
    }),
  )
}
