import { InvalidToken } from '../auth/authenticate.ts'
import type { ErrorBody } from '../../schema/api/errors.ts'
import { ApiError, fault, unavailable, validationError } from '../../schema/errors.ts'
import { JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { LogUnavailable } from '../../log/log.ts'

/** What an error answers. */
export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export const parseProblem = 'Problem parsing JSON'

/** The one place that turns errors into answers: the caller's own mistakes are shown, all else is a plain 500. */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  if (error instanceof InvalidToken)
    return {
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      body: { error: 'invalid_token', error_description: error.message },
    }
  const known = apiErrorOf(error)
  if (known === null || known.status === 500) return { status: 500, headers: {}, body: internal(requestId) }
  if (known.message === parseProblem) return { status: 400, headers: {}, body: { message: parseProblem } }
  return {
    status: known.status,
    headers: headersOf(known),
    body: bodyOf(known),
  }
}

function headersOf({ retryAfterS, limit }: ApiError): Readonly<Record<string, string>> {
  if (retryAfterS === null) return {}
  const reset = String(retryAfterS)
  const isLimit = { 'RateLimit-Limit': String(limit), 'RateLimit-Remaining': '0', 'RateLimit-Reset': reset }
  return { 'Retry-After': reset, ...(limit !== null && isLimit) }
}

function bodyOf({ status, code, message, errors }: ApiError): ErrorBody {
  return { code, message, errors, ...(status === 403 && { error: 'insufficient_scope' as const }) }
}

function internal(requestId: string): ErrorBody {
  return { code: 'InternalError', message: 'Internal Server Error', errors: [], requestId }
}

/** null: nothing that the caller may know. */
function apiErrorOf(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (error instanceof LogUnavailable) return unavailable('The log can take no records now', 2, error)
  if (isRetryable(error)) return unavailable('The store does not answer now', 2, error)
  if (error instanceof JsonOutOfBounds) return outOfBounds(error)
  return httpError(error)
}

function outOfBounds(error: JsonOutOfBounds): ApiError {
  if (error.bound === 'bytes') return new ApiError(413, 'PayloadTooLarge', 'The body is too large', { cause: error })
  return validationError([fault('body', 'OutOfRange', `body: ${error.message}`)])
}

/** What a store says of its failures. */
function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true
}

/** Errors of express and its body parsers carry a `status`, and a `type` that says what is wrong. */
function httpError(error: unknown): ApiError | null {
  if (!(error instanceof Error) || !('status' in error)) return null
  switch (error.status) {
    case 400:
      return new ApiError(400, 'BadRequest', 'Bad Request', { cause: error })
    case 413:
      return new ApiError(413, 'PayloadTooLarge', 'The body is too large', { cause: error })
    case 415:
      return new ApiError(415, 'UnsupportedMediaType', 'The body has an unsupported encoding', { cause: error })
    default:
      return null
  }
}
