import { ClickHouseError, parseError } from '@clickhouse/client'
import { StoreError } from './store.ts'

/**
 * What the statement or its rows are to blame for: it fails again however often it is sent. Everything else (no answer, no
 * memory, no table yet, too many parts, a wrong password) may pass, and giving up on it would lose data.
 * Numbers: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const permanentTypes: ReadonlySet<string> = new Set([
  'ARGUMENT_OUT_OF_BOUND',
  'BAD_ARGUMENTS',
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

/** Whatever a client threw, as a `StoreError`. */
export function toStoreError(thrown: unknown, query: string): StoreError {
  if (thrown instanceof StoreError) return thrown
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (isAbort(cause)) return failure('The query was given up', 0, 'ABORTED', false, query, cause)
  const parsed = cause instanceof ClickHouseError ? cause : parseError(cause.message)
  if (!(parsed instanceof ClickHouseError)) return failure(cause.message, 0, 'NETWORK', true, query, cause)
  // Messages that quote others name the type of each: the last is the whole's.
  const type = /\(([A-Z][A-Z_0-9]+)\)[^()]*(?:\(version [^)]*\))?[^()]*$/.exec(cause.message)?.[1] ?? parsed.type ?? 'UNKNOWN'
  return failure(parsed.message, Number(parsed.code), type, !permanentTypes.has(type), query, cause)
}

function failure(message: string, code: number, type: string, retryable: boolean, query: string, cause: Error) {
  return new StoreError(message, { code, type, retryable, query, cause })
}

function isAbort(error: Error): boolean {
  return error.name === 'AbortError' || /abort/i.test(error.message) && !(error instanceof ClickHouseError)
}
