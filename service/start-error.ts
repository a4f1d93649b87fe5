/**
 * Thrown if the service cannot start. The message is for its operator: it states cause, file or variable, and what to
 * do.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly code = 'start_failed'
  readonly retryable = false
}

/** Returns the system code of an error, such as `EACCES`; null: it has none. */
export function findErrorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Returns the messages of an error and its causes, the outermost first. */
export function causesOf(error: unknown): readonly string[] {
  const messages: string[] = []
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth++) {
    if (current.message !== '' && !messages.includes(current.message)) messages.push(current.message)
    current = current instanceof AggregateError ? current.errors[0] : current.cause
  }
  return messages
}
