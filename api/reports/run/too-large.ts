import { StoreError } from '../../../clickhouse/client/store.ts'
import { type ApiError, fault, validationError } from '../../../schema/errors.ts'

const limitTypes: ReadonlySet<string> = new Set(['TOO_MANY_ROWS', 'TOO_MANY_BYTES', 'TOO_MANY_ROWS_OR_BYTES'])

/** Turns the error of a query beyond the limits into a fault of the request; returns every other error as it is. */
function explainLimit(error: unknown, tooLarge: () => ApiError): unknown {
  if (!(error instanceof StoreError) || !limitTypes.has(error.type)) return error
  return tooLarge()
}

/** Awaits a result; rejects with 400 if a query exceeded the limits. */
export async function explained<T>(answer: Promise<T>, tooLarge: () => ApiError = reportTooLarge): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw explainLimit(error, tooLarge)
  }
}

/** 400: the range holds more than a query may cost. */
export function rangeTooLarge(): ApiError {
  return validationError([fault('start', 'OutOfRange', 'There is too much in the range: ask for a shorter one')])
}

/** 400: the report asks for more than a query may cost. */
export function reportTooLarge(): ApiError {
  return validationError([
    fault('groupBy', 'OutOfRange', 'The report is too large: ask for a shorter range or fewer groups'),
  ])
}
