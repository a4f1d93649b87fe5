import { parseError } from '@clickhouse/client'
import type { ClickHouseError } from '@clickhouse/client'
import { StoreError } from './store.ts'

/**
 * Errors that a retry cannot solve, because the statement or its rows are invalid. Everything else (no response, out of
 * memory, a missing table, too many parts, a wrong password) may be temporary, and not retrying could lose data. Codes:
 * https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const permanentTypes: ReadonlySet<string> = new Set([
  'ARGUMENT_OUT_OF_BOUND',
  'BAD_ARGUMENTS',
  'CANNOT_COMPILE_REGEXP',
  'CANNOT_CONVERT_TYPE',
  'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
  'CANNOT_PARSE_BOOL',
  'CANNOT_PARSE_DATE',
  'CANNOT_PARSE_DATETIME',
  'CANNOT_PARSE_ESCAPE_SEQUENCE',
  'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  'CANNOT_PARSE_NUMBER',
  'CANNOT_PARSE_QUOTED_STRING',
  'CANNOT_PARSE_TEXT',
  'CANNOT_READ_ARRAY_FROM_TEXT',
  'DECIMAL_OVERFLOW',
  'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
  'ILLEGAL_AGGREGATION',
  'ILLEGAL_COLUMN',
  'ILLEGAL_DIVISION',
  'ILLEGAL_TYPE_OF_ARGUMENT',
  'INCORRECT_DATA',
  'NOT_AN_AGGREGATE',
  'NO_COMMON_TYPE',
  'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
  'READONLY',
  'SETTING_CONSTRAINT_VIOLATION',
  'SIZES_OF_ARRAYS_DONT_MATCH',
  'SYNTAX_ERROR',
  'TOO_LARGE_ARRAY_SIZE',
  'TOO_LARGE_STRING_SIZE',
  'TOO_MANY_BYTES',
  'TOO_MANY_ROWS',
  'TOO_MANY_ROWS_OR_BYTES',
  'TYPE_MISMATCH',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_IDENTIFIER',
  'UNKNOWN_SETTING',
  'UNKNOWN_TYPE',
  'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
])

const accessDeniedTypes: ReadonlySet<string> = new Set([
  'AUTHENTICATION_FAILED',
  'IP_ADDRESS_NOT_ALLOWED',
  'REQUIRED_PASSWORD',
  'UNKNOWN_USER',
  'WRONG_PASSWORD',
])

/** Returns whether the server rejected the user or the password. */
export function isAccessDenied(error: unknown): boolean {
  return error instanceof StoreError && accessDeniedTypes.has(error.type)
}

/**
 * Runs a call of a client and converts any error to a `StoreError`. `signal`: with which the caller can cancel the
 * call.
 */
export async function attempt<Result>(
  query: string,
  signal: AbortSignal | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    signal?.throwIfAborted()
    return await run()
  } catch (error) {
    throw toStoreError(error, query, signal)
  }
}

/** Converts any error of a client to a `StoreError`. */
export function toStoreError(thrown: unknown, query: string, signal?: AbortSignal): StoreError {
  if (thrown instanceof StoreError) return thrown
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  const failure = (message: string, code: number, type: string, retryable: boolean) =>
    new StoreError(message, { code, type, retryable, query, cause })
  if (signal?.aborted) return failure('The query was cancelled', 0, 'ABORTED', false)
  const serverError = isServerError(cause) ? cause : parseError(cause.message)
  if (!isServerError(serverError)) return failure(cause.message, 0, 'NETWORK', true)
  const type = serverError.type ?? 'UNKNOWN'
  return failure(serverError.message, Number(serverError.code), type, !permanentTypes.has(type))
}

type ServerError = Pick<ClickHouseError, 'code' | 'type' | 'message'>

/**
 * Returns whether an error is one of ClickHouse itself. Checks its properties, because the server's and the embedded
 * client have different classes.
 */
function isServerError(error: Error): error is Error & ServerError {
  return 'code' in error && 'type' in error && /^\d+$/.test(String(error.code))
}
