import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { StoreError } from '../../../clickhouse/client/store.ts'
import { shortenMessage, shortenPart } from '../../../schema/error-text.ts'
import { ApiError, type FieldError } from '../../../schema/errors.ts'
import { InvalidToken } from '../../auth/authenticate.ts'
import type { ErrorCode } from '../compile/problem.ts'

/**
 * GraphQL error codes of ClickHouse error codes: time limit; limits of rows and memory; invalid patterns and filters.
 */
const storeCodes: ReadonlyMap<number, ErrorCode> = new Map([
  [159, 'time-limit-exceeded'],
  [160, 'time-limit-exceeded'],
  [158, 'row-limit-exceeded'],
  [396, 'row-limit-exceeded'],
  [241, 'row-limit-exceeded'],
  [25, 'validation-failed'],
  [427, 'validation-failed'],
  [167, 'validation-failed'],
  [168, 'validation-failed'],
  [306, 'validation-failed'],
])

const messages: Partial<Readonly<Record<ErrorCode, string>>> = {
  'time-limit-exceeded': 'The query took too long',
  'row-limit-exceeded': 'The query reads too many rows or uses too much memory',
  'validation-failed': 'Invalid pattern or filter: a pattern must not end with an escape character or be very long',
  unavailable: 'The store is unavailable. Retry later.',
}

/** GraphQL error codes of Apollo Server's error codes. */
const serverCodes: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'validation-failed',
  GRAPHQL_VALIDATION_FAILED: 'validation-failed',
  BAD_USER_INPUT: 'validation-failed',
  OPERATION_RESOLUTION_FAILURE: 'validation-failed',
  BAD_REQUEST: 'bad-request',
  PERSISTED_QUERY_NOT_FOUND: 'bad-request',
  PERSISTED_QUERY_NOT_SUPPORTED: 'bad-request',
}

/** The part of an error that a caller may see. */
export interface PublicError {
  readonly message: string
  readonly code: ErrorCode
  /** Field errors of a report's arguments, as in its REST route. */
  readonly errors?: readonly FieldError[]
}

/** Pure: the message and the code that the caller may see, for any thrown value. */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof InvalidToken) return { message: error.message, code: 'invalid-jwt' }
  if (error instanceof ApiError && error.errors.length > 0) return toValidationError(error)
  if (error instanceof ApiError) return { message: error.message, code: errorCodeOfStatus(error.status) }
  if (error instanceof StoreError) {
    const code = storeCodes.get(error.code) ?? (error.retryable ? 'unavailable' : 'unexpected')
    return { message: messages[code] ?? unexpected, code }
  }
  return { message: unexpected, code: 'unexpected' }
}

function toValidationError({ message, errors, cause }: ApiError): PublicError {
  const shown = errors.map(each => ({ ...each, field: shortenPart(each.field), message: shortenMessage(each.message) }))
  return {
    message: `${message}: ${shown.map(each => each.message).join('; ')}`,
    code: (cause instanceof StoreError ? storeCodes.get(cause.code) : undefined) ?? 'validation-failed',
    errors: shown,
  }
}

const unexpected = 'Internal Server Error'

/** Replaces message and code of an error by those that the caller may see; `thrown` is the original error. */
export function formatError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const { locations, path } = formatted
  const where = { ...(locations && { locations }), ...(path && { path }) }
  const code = formatted.extensions?.['code']
  const cause = thrown instanceof GraphQLError ? thrown.originalError : thrown
  if (typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR')
    return { message: shortenMessage(formatted.message), ...where, extensions: { code: serverCodes[code] ?? code } }
  const publicError = toPublicError(cause)
  return {
    message: shortenMessage(publicError.message),
    ...where,
    extensions: { code: publicError.code, ...(publicError.errors && { errors: publicError.errors }) },
  }
}

/** Converts any thrown value to an error that the caller may see. */
export function toResponseError(error: unknown): GraphQLFormattedError {
  return formatError(error instanceof GraphQLError ? error.toJSON() : { message: '' }, error)
}

/** The body of a response that contains one error and no data. */
export function graphqlErrorBody({ message, code }: PublicError) {
  return { errors: [{ message: shortenMessage(message), extensions: { code } }] }
}

function errorCodeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'invalid-jwt'
    case 403:
      return 'access-denied'
    case 404:
      return 'not-found'
    case 429:
      return 'rate-limit-exceeded'
    case 503:
      return 'unavailable'
    default:
      return status >= 500 ? 'unexpected' : 'bad-request'
  }
}
