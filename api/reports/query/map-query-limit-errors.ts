import { StoreError } from '../../../clickhouse/client/store.ts'
import { type ApiError, fault, validationError } from '../../../schema/errors.ts'

const limitTypes: ReadonlySet<string> = new Set(['TOO_MANY_ROWS', 'TOO_MANY_BYTES', 'TOO_MANY_ROWS_OR_BYTES'])

/** Awaits a result; rejects with 400 if a query exceeded the limits, and with any other error as it is. */
export async function mapQueryLimitErrors<T>(
  result: Promise<T>,
  tooLarge: () => ApiError = reportTooLarge,
): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw error instanceof StoreError && limitTypes.has(error.type) ? tooLarge() : error
  }
}

/** 400: a read of the range exceeds the limits of a query. */
export function rangeTooLarge(): ApiError {
  return validationError([fault('start', 'OutOfRange', 'There is too much in the range: ask for a shorter one')])
}

/** 400: the report exceeds the limits of a query. */
export function reportTooLarge(): ApiError {
  return validationError([
    fault('groupBy', 'OutOfRange', 'The report is too large: ask for a shorter range or fewer groups'),
  ])
}
