import { createChecker } from '../../schema/check.ts'
import type { Fault } from '../../schema/errors.ts'
import type { Schema } from '../../schema/types.ts'

/** Field errors of a value, and the number of further ones; none: valid. */
export interface ValidationResult {
  readonly faults: readonly Fault[]
  readonly more: number
}

export type Check = (value: unknown) => ValidationResult

const none: ValidationResult = { faults: [], more: 0 }

/** Validates by the same function as the registrar validates commands, so that formats and errors are equal. */
export function checkOf(schema: Schema | undefined): Check {
  if (schema === undefined) return () => none
  const check = createChecker(schema)
  return value => {
    const checked = check(value)
    return 'value' in checked ? none : checked
  }
}
