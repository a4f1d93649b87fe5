import { jsonProblem } from '../shared/json/utf8.ts'

/** One fault of a request. */
export interface Fault {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** Codes of a `Fault` in a 400. */
export const faultCodes = [
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
export type FaultCode = (typeof faultCodes)[number]

/** An error that the caller may see; one place (`api/http`) turns it into the answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly errors: readonly Fault[]
  /** Faults that were found, but are not in `errors`. */
  readonly more: number
  /** Seconds for `Retry-After`, where trying again makes sense. */
  readonly retryAfterS: number | null
  /** How many requests would have been taken in the time, where one was too many. */
  readonly limit: number | null
  /** Methods that the path takes, where the request's was none of them. */
  readonly allow: readonly string[]

  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      errors?: readonly Fault[]
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

/** A request with faults: 400. `more`: how many others were found. */
export function validationError(errors: readonly Fault[], more = 0): ApiError {
  return new ApiError(400, 'ValidationError', 'Validation Error', { errors, more })
}

/** A body that is not JSON: 400 with nothing but the message. */
export function invalidJson(body: Uint8Array, cause?: unknown): ApiError {
  return new ApiError(400, invalidJsonCode, jsonProblem(body), { cause })
}

/** Code of `invalidJson`. */
export const invalidJsonCode = 'InvalidJson'

export function notFound(): ApiError {
  return new ApiError(404, 'NotFound', 'Not Found')
}

export function unavailable(message: string, retryAfterS = 2, cause?: unknown): ApiError {
  return new ApiError(503, 'Unavailable', message, { retryAfterS, cause })
}

export function fault(field: string, code: FaultCode, message: string): Fault {
  return { field, code, message }
}
