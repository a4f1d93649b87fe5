import { parseError } from '@clickhouse/client'
import type { ClickHouseError } from '@clickhouse/client'
import { StoreError } from './store.ts'

/**
 * A fault of the statement or of its rows: it fails again however often it is sent. Everything else (no answer, no
 * memory, no table yet, too many parts, a wrong password) may pass, and giving up on it would lose data.
 * Numbers: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
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
  'CANNOT_READ_ALL_DATA',
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

/** Whether the server rejected the user or the password. */
export function isAccessDenied(error: unknown): boolean {
  return error instanceof StoreError && accessDeniedTypes.has(error.type)
}

/** Runs a call of a client; whatever it throws becomes a `StoreError`. `signal` is what the caller may give up with. */
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

/** Whatever a client threw, as a `StoreError`. */
export function toStoreError(thrown: unknown, query: string, signal?: AbortSignal): StoreError {
  if (thrown instanceof StoreError) return thrown
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  const failure = (message: string, code: number, type: string, retryable: boolean) =>
    new StoreError(message, { code, type, retryable, query, cause })
  if (signal?.aborted) return failure('The query was given up', 0, 'ABORTED', false)
  const refusal = isRefusal(cause) ? cause : parseError(cause.message)
  if (!isRefusal(refusal)) return failure(cause.message, 0, 'NETWORK', true)
  const type = refusal.type ?? 'UNKNOWN'
  return failure(refusal.message, Number(refusal.code), type, !permanentTypes.has(type))
}

type Refusal = Pick<ClickHouseError, 'code' | 'type' | 'message'>

/** An error of ClickHouse itself, told by its shape: each package has a class of its own for it. */
function isRefusal(error: Error): error is Error & Refusal {
  return 'code' in error && 'type' in error && /^\d+$/.test(String(error.code))
}
