import { GraphQLError, type GraphQLFormattedError } from 'graphql'

/** Error codes, as in Hasura. */
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

/** Creates an error that the response shows to the caller. */
export function problem(code: ErrorCode, message: string, cause?: unknown): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code },
    ...(cause instanceof Error ? { originalError: cause } : {}),
  })
}

/**
 * Gives an error of the GraphQL language the code of a caller's error, for example an argument that must not be null,
 * or a variable of the wrong type. Returns other errors unchanged.
 */
export function ofCaller<T>(error: T): T | GraphQLError {
  if (!(error instanceof GraphQLError) || !isOfLanguage(error)) return error
  const { message, nodes = null, source = null, positions = null } = error
  const code = 'validation-failed' satisfies ErrorCode
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}

/** The error of a variable has the error of its scalar type as its cause. */
function isOfLanguage({ originalError, extensions }: GraphQLError): boolean {
  if (extensions['code'] !== undefined) return false
  return !originalError || (originalError instanceof GraphQLError && isOfLanguage(originalError))
}

/** The response to an unexpected error. */
export const unexpected: GraphQLFormattedError = {
  message: 'Internal Server Error',
  extensions: { code: 'unexpected' satisfies ErrorCode },
}
