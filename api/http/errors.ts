import type { Request, RequestHandler } from 'express'
import { InvalidToken } from '../auth/authenticate.ts'
import type { ErrorBody } from '../../schema/requests/errors.ts'
import { maxMessageChars, shortenMessage, shortenPart } from '../../schema/error-text.ts'
import {
  type FieldError,
  ApiError,
  fieldError,
  invalidJsonCode,
  unavailable,
  validationError,
} from '../../schema/errors.ts'
import { JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { LogUnavailable } from '../../log/log.ts'

/** The response to a request that failed. */
export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Limits of the field errors in a response. */
export interface FieldErrorLimits {
  readonly count: number
  readonly bytes: number
}

const defaultFieldErrorLimits: FieldErrorLimits = { count: 20, bytes: 65_536 }
export const importFieldErrorLimits: FieldErrorLimits = { count: 1_000, bytes: 262_144 }

const boundsByRequest = new WeakMap<Request, FieldErrorLimits>()

/** Sets the limits of the field errors in the responses to a request. */
export function setFieldErrorLimits(bounds: FieldErrorLimits): RequestHandler {
  return (request, _response, next) => {
    boundsByRequest.set(request, bounds)
    next()
  }
}

/** The limits of the field errors in the responses to a request. */
export function fieldErrorLimitsOf(request: Request): FieldErrorLimits {
  return boundsByRequest.get(request) ?? defaultFieldErrorLimits
}

/** Maps every error to a response: the caller's errors with their message, all other errors as a plain 500. */
export function errorReply(
  error: unknown,
  requestId: string,
  bounds: FieldErrorLimits = defaultFieldErrorLimits,
): ErrorReply {
  if (error instanceof InvalidToken)
    return {
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      body: { error: 'invalid_token', error_description: error.message },
    }
  const known = toApiError(error)
  if (known === null || known.status === 500) {
    const body: ErrorBody = { code: 'InternalError', message: 'Internal Server Error', errors: [], requestId }
    return { status: 500, headers: {}, body }
  }
  if (known.code === invalidJsonCode) return { status: 400, headers: {}, body: { message: known.message } }
  return { status: known.status, headers: headersOf(known), body: bodyOf(known, bounds) }
}

function headersOf({ retryAfterS, limit, allow }: ApiError): Readonly<Record<string, string>> {
  if (allow.length > 0) return { Allow: allow.join(', ') }
  if (retryAfterS === null) return {}
  const reset = String(retryAfterS)
  const isLimit = { 'RateLimit-Limit': String(limit), 'RateLimit-Remaining': '0', 'RateLimit-Reset': reset }
  return { 'Retry-After': reset, ...(limit !== null && isLimit) }
}

function bodyOf(error: ApiError, bounds: FieldErrorLimits): ErrorBody {
  const errors = limitErrors(error.errors, bounds)
  const more = error.errors.length - errors.length + error.more
  return {
    code: error.code,
    message: shortenMessage(error.message),
    errors,
    ...(more > 0 && { more }),
    ...(error.status === 403 && { error: 'insufficient_scope' as const }),
  }
}

/** Maximum bytes of a response besides its field errors: a UTF-16 unit of the message may take six bytes. */
const baseBytes = 6 * maxMessageChars + 1_000

function limitErrors(errors: readonly FieldError[], bounds: FieldErrorLimits): readonly FieldError[] {
  const shown: FieldError[] = []
  let bytes = baseBytes
  for (const { field, code, message } of errors.slice(0, bounds.count)) {
    const each = { field: shortenPart(field), code, message: shortenMessage(message) }
    bytes += Buffer.byteLength(JSON.stringify(each)) + 1
    if (bytes > bounds.bytes) break
    shown.push(each)
  }
  return shown
}

/** Converts an error to one that the caller may see; null: it must stay internal. */
function toApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (error instanceof LogUnavailable) return unavailable('The log is unavailable. Retry later.', 2, error)
  if (error instanceof Error && 'retryable' in error && error.retryable === true)
    return unavailable('The store is unavailable. Retry later.', 2, error)
  if (!(error instanceof JsonOutOfBounds)) return httpError(error)
  if (error.bound === 'bytes') return new ApiError(413, 'PayloadTooLarge', 'The body is too large', { cause: error })
  return validationError([fieldError('body', 'OutOfRange', `body: ${error.message}`)])
}

/** Whether work ended because its signal was aborted. */
export function isGivenUp(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isStoreError = 'type' in error && error.type === 'ABORTED'
  return isStoreError || error.name === 'AbortError' || isGivenUp(error.cause)
}

const clientErrors: ReadonlyMap<unknown, readonly [code: string, message: string]> = new Map([
  [404, ['NotFound', 'Not Found']],
  [413, ['PayloadTooLarge', 'The body is too large']],
  [415, ['UnsupportedMediaType', 'The body has an unsupported encoding']],
])

/** Errors of express and its middlewares have a `status`: 4xx if the client has to change its request. */
function httpError(error: unknown): ApiError | null {
  if (!(error instanceof Error) || !('status' in error)) return null
  const { status } = error
  if (typeof status !== 'number' || status < 400 || status >= 500) return null
  // Errors of HTTP clients have a status too.
  if (status !== 400 && !('expose' in error)) return null
  const [code, message] = clientErrors.get(status) ?? ['BadRequest', 'Bad Request']
  return new ApiError(clientErrors.has(status) ? status : 400, code, message, { cause: error })
}
