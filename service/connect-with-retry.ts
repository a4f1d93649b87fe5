import { retry } from '../shared/async/retry.ts'
import { causesOf, StartError } from './start-error.ts'

/** Time after which the first line about a server that does not respond is written. */
const firstLineAfterMs = 3_000
const lineEveryMs = 60_000
const retryMs = 1_000

/** A server that a process needs to start. */
export interface RequiredServer {
  /** Kind, address and setting of the server, such as `Kafka at kafka:9092 (KAFKA_BROKERS)`. */
  readonly what: string
  /** Whether an error means that the server rejected the user or the password. */
  readonly isAccessDenied: (error: unknown) => boolean
  /** Names of the settings that contain the user and the password. */
  readonly credentials: string
}

/**
 * Opens a client. While the server is unavailable, retries every second and writes a line with the cause immediately
 * and every minute. Rejects with errors that a retry cannot solve; a rejected password becomes a `StartError`.
 */
export async function connectWithRetry<T>(
  open: () => Promise<T>,
  { what, isAccessDenied, credentials }: RequiredServer,
  report: (line: string) => void,
): Promise<T> {
  let last: unknown = null
  const reportWaiting = (): void => report(waitingLine(what, last))
  const first = setTimeout(reportWaiting, firstLineAfterMs)
  const timer = setInterval(reportWaiting, lineEveryMs)
  try {
    return await retry(open, {
      firstDelayMs: retryMs,
      maxDelayMs: retryMs,
      isFinal: error => isAccessDenied(error) || !isTemporary(error),
      onRetry: error => {
        clearTimeout(first)
        const isFirst = last === null
        last = error
        if (!isFirst) return
        timer.refresh()
        reportWaiting()
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
  const message = `${what} rejected the user or the password: ${causeChain(error)}.\nWhat to do: correct ${credentials}.`
  return new StartError(message, { cause: error })
}

function waitingLine(what: string, error: unknown): string {
  const why = causeChain(error)
  return why === ''
    ? `${what} does not respond yet. Waiting for it.`
    : `${what} is not usable yet: ${why}. Waiting for it.`
}

/** Joins the messages of an error and its causes to one line, without causes that an earlier message contains. */
function causeChain(error: unknown): string {
  const causes = causesOf(error).map(message => message.replaceAll(/\s+/g, ' ').replace(/\.$/, ''))
  return causes.filter((cause, index) => !causes.slice(0, index).some(earlier => earlier.includes(cause))).join(': ')
}

function isTemporary(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true
}
