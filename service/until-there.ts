import { retry } from '../shared/async/retry.ts'
import { causesOf } from './start-error.ts'

const tellEveryMs = 3_000
const againMs = 1_000

/**
 * Opens a client, again and again where its server is away or does not let it in; tells why every few seconds. `what` names the
 * server, its address and its variable. Rejects only with errors that waiting does not mend.
 */
export async function untilThere<T>(open: () => Promise<T>, what: string, tell: (line: string) => void): Promise<T> {
  let last: unknown = null
  const timer = setInterval(() => tell(waitingLine(what, last)), tellEveryMs)
  try {
    return await retry(open, {
      firstDelayMs: againMs,
      maxDelayMs: againMs,
      isFinal: error => !isPassing(error),
      onRetry: error => {
        if (last === null) tell(waitingLine(what, error))
        last = error
      },
    })
  } finally {
    clearInterval(timer)
  }
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
