import { coerceToSchema } from '../../../schema/coerce.ts'
import { type FieldError, fieldError, validationError } from '../../../schema/errors.ts'
import { cycleTimeFilters, cycleTimesInput } from '../../../schema/requests/cycle-times.ts'
import { bodyOf, checkFields, conditionsOf, isAbsent } from '../request/check-fields.ts'
import { parseRange, type ReportFilters, type RequestedRange } from '../request/parse.ts'

/** A valid request for the cycle times of a job operation. */
interface CycleTimesRequest {
  readonly range: RequestedRange
  /** Id of the job operation. */
  readonly jobOperation: string
  readonly filters: ReportFilters
}

/** The body of `POST /reports/cycle-times`. Throws an `ApiError` 400 with every field error; unknown keys are ignored. */
export function parseCycleTimes(body: unknown): CycleTimesRequest {
  const errors: FieldError[] = []
  const fields = bodyOf(body, errors)
  const range = parseRange(fields, cycleTimesInput, errors)
  const jobOperation = coerceToSchema(fields['jobOperation'], { type: 'string' })
  if (isAbsent(jobOperation)) errors.push(fieldError('jobOperation', 'Required', 'JobOperation is required'))
  else checkFields({ jobOperation }, cycleTimesInput, ['jobOperation'], errors)
  checkFields(fields, cycleTimesInput, ['filter'], errors)
  if (errors.length > 0 || range === null) throw validationError(errors)
  return { range, jobOperation: String(jobOperation), filters: conditionsOf(fields['filter'], cycleTimeFilters) }
}
