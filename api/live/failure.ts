import { shortenMessage } from '../../schema/error-text.ts'
import type { LiveCode, LiveFailure } from '../../schema/requests/live.ts'

/** Failure of a command; the client receives code, message and details. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly code: LiveCode
  readonly #details: Omit<LiveFailure, 'code' | 'message'>

  constructor(code: LiveCode, message: string, details: Omit<LiveFailure, 'code' | 'message'> = {}) {
    super(shortenMessage(message))
    this.code = code
    this.#details = details
  }

  get failure(): LiveFailure {
    return { code: this.code, message: this.message, ...this.#details }
  }
}

/** The code of an error of the store or the log; null: another error. */
export function unavailableCode(error: unknown): LiveCode | null {
  if (!(error instanceof Error) || !('retryable' in error) || error.retryable !== true) return null
  return error.name === 'LogUnavailable' ? 'log_unavailable' : 'store_unavailable'
}
