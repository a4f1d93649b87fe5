import { retry } from '../shared/async/retry.ts'
import { causesOf, StartError } from './start-error.ts'

/** A server that neither responds nor rejects is reported after this time. */
const firstLineAfterMs = 3_000
const lineEveryMs = 60_000
const againMs = 1_000

/** A server that a process needs. */
export interface NeededServer {
  /** Its kind, address and variable, such as `Kafka at kafka:9092 (KAFKA_BROKERS)`. */
  readonly what: string
  /** Whether the server rejected the user or the password. */
  readonly isAccessDenied: (error: unknown) => boolean
  /** Settings that name the user and the password. */
  readonly credentials: string
}

/**
 * Opens a client; while its server is unavailable, retries every second and writes a line with the cause at once and every minute. Rejects with
 * errors that a retry cannot solve: a rejected password as a `StartError`.
 */
export async function untilThere<T>(
  open: () => Promise<T>,
  { what, isAccessDenied, credentials }: NeededServer,
  tell: (line: string) => void,
): Promise<T> {
  let last: unknown = null
  const tellWaiting = (): void => tell(waitingLine(what, last))
  const first = setTimeout(tellWaiting, firstLineAfterMs)
  const timer = setInterval(tellWaiting, lineEveryMs)
  try {
    return await retry(open, {
      firstDelayMs: againMs,
      maxDelayMs: againMs,
      isFinal: error => isAccessDenied(error) || !isPassing(error),
      onRetry: error => {
        clearTimeout(first)
        const isFirst = last === null
        last = error
        if (!isFirst) return
        timer.refresh()
        tellWaiting()
      },
    })
  } catch (error) {
    throw isAccessDenied(error) ? rejectedAccess(what, credentials, error) : error
  } finally {
    clearTimeout(first)
    clearInterval(timer)
  }
}

function rejectedAccess(what: string, credentials: string, error: unknown): StartError {
  const message = `${what} rejected the user or the password: ${chainOf(error)}.\nWhat to do: correct ${credentials}.`
  return new StartError(message, { cause: error })
}

function waitingLine(what: string, error: unknown): string {
  const why = chainOf(error)
  return why === ''
    ? `${what} does not answer yet. Waiting for it.`
    : `${what} can't be used yet: ${why}. Waiting for it.`
}

/** An error and what caused it, in one line; a cause that the one before it tells already is left out. */
function chainOf(error: unknown): string {
  const causes = causesOf(error).map(message => message.replaceAll(/\s+/g, ' ').replace(/\.$/, ''))
  return causes.filter((cause, index) => !causes.slice(0, index).some(earlier => earlier.includes(cause))).join(': ')
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true
}
