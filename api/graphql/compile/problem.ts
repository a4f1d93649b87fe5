import { GraphQLError, type GraphQLFormattedError } from 'graphql'

/** Values of `extensions.code` in GraphQL errors, as Hasura names them. */
export type ErrorCode =
  | 'invalid-jwt'
  | 'access-denied'
  | 'validation-failed'
  | 'bad-request'
  | 'depth-limit-exceeded'
  | 'node-limit-exceeded'
  | 'row-limit-exceeded'
  | 'rate-limit-exceeded'
  | 'time-limit-exceeded'
  | 'unavailable'
  | 'start-failed'
  | 'not-found'
  | 'unexpected'

/** Creates an error whose code and message are sent to the caller. */
export function problem(code: ErrorCode, message: string, cause?: unknown): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code },
    ...(cause instanceof Error ? { originalError: cause } : {}),
  })
}

/**
 * Adds a caller's error code to an error of graphql-js, for example for a null argument that must not be null, or a
 * variable of the wrong type. Returns other errors unchanged.
 */
export function toCallerError<T>(error: T): T | GraphQLError {
  if (!(error instanceof GraphQLError) || !isGraphqlJsError(error)) return error
  const { message, nodes = null, source = null, positions = null } = error
  const code = 'validation-failed' satisfies ErrorCode
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}

/** Whether graphql-js created the error. The error of a variable has the error of its scalar type as its cause. */
function isGraphqlJsError({ originalError, extensions }: GraphQLError): boolean {
  if (extensions['code'] !== undefined) return false
  return !originalError || (originalError instanceof GraphQLError && isGraphqlJsError(originalError))
}

/** The error that is sent to the caller if the service failed unexpectedly. */
export const unexpectedError: GraphQLFormattedError = {
  message: 'Internal Server Error',
  extensions: { code: 'unexpected' satisfies ErrorCode },
}
