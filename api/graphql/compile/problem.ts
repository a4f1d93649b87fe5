import { GraphQLError, type GraphQLFormattedError } from 'graphql'

/** Codes of errors, as Hasura has them. */
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

/** An error that the caller may see. */
export function problem(code: ErrorCode, message: string, cause?: unknown): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code },
    ...(cause instanceof Error ? { originalError: cause } : {}),
  })
}

/**
 * An error of the language itself is the caller's: an argument that is null where none may be, or a variable that is no value of its
 * type. Others stay as they are.
 */
export function ofCaller<T>(error: T): T | GraphQLError {
  if (!(error instanceof GraphQLError) || !isOfLanguage(error)) return error
  const { message, nodes = null, source = null, positions = null } = error
  const code = 'validation-failed' satisfies ErrorCode
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}

/** The fault of a variable has that of its type as its cause. */
function isOfLanguage({ originalError, extensions }: GraphQLError): boolean {
  if (extensions['code'] !== undefined) return false
  return !originalError || (originalError instanceof GraphQLError && isOfLanguage(originalError))
}

/** Shown where something failed that nobody foresaw. */
export const unexpected: GraphQLFormattedError = {
  message: 'Internal Server Error',
  extensions: { code: 'unexpected' satisfies ErrorCode },
}
