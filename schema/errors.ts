import { jsonProblem } from '../shared/json/utf8.ts'

/** Error of one field of a request. */
export interface FieldError {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** Codes of field errors in a response with status 400. */
export const fieldErrorCodes = [
  'InvalidDataItem',
  'InvalidGroup',
  'InvalidFilter',
  'InvalidDate',
  'InvalidRange',
  'Required',
  'InvalidType',
  'InvalidEnum',
  'MutuallyExclusive',
  'OutOfRange',
] as const
export type FieldErrorCode = (typeof fieldErrorCodes)[number]

/** Error whose message the caller may see; `api/http` turns it into a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly errors: readonly FieldError[]
  /** Number of further field errors that are not in `errors`. */
  readonly more: number
  /** Seconds for the header `Retry-After`; null if a retry cannot succeed. */
  readonly retryAfterS: number | null
  /** Number of requests that the exceeded rate limit allows; null for other errors. */
  readonly limit: number | null
  /** Methods that the path supports, for the header `Allow` of a 405; otherwise empty. */
  readonly allow: readonly string[]

  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      errors?: readonly FieldError[]
      more?: number
      retryAfterS?: number
      limit?: number
      allow?: readonly string[]
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.code = code
    this.errors = options.errors ?? []
    this.more = options.more ?? 0
    this.retryAfterS = options.retryAfterS ?? null
    this.limit = options.limit ?? null
    this.allow = options.allow ?? []
  }
}

/** Creates a 400 with field errors. `more`: number of further errors that are not listed. */
export function validationError(errors: readonly FieldError[], more = 0, cause?: unknown): ApiError {
  return new ApiError(400, 'ValidationError', 'Validation Error', { errors, more, cause })
}

/** Creates a 400 for a body that is not JSON; the response contains only the message. */
export function invalidJson(body: Uint8Array, cause?: unknown): ApiError {
  return new ApiError(400, invalidJsonCode, jsonProblem(body), { cause })
}

/** Code of errors that `invalidJson` creates. */
export const invalidJsonCode = 'InvalidJson'

export function notFound(): ApiError {
  return new ApiError(404, 'NotFound', 'Not Found')
}

export function unavailable(message: string, retryAfterS = 2, cause?: unknown): ApiError {
  return new ApiError(503, 'Unavailable', message, { retryAfterS, cause })
}

export function fieldError(field: string, code: FieldErrorCode, message: string): FieldError {
  return { field, code, message }
}

/** Returns an error of an object as one of the request that contains it. `place`: such as `rule.` */
export function errorWithin(place: string, { field, code, message }: FieldError): FieldError {
  return { field: place + field, code, message: place + message }
}
