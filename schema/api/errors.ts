import { faultCodes } from '../errors.ts'
import type { Fault } from '../records.ts'
import { int, list, object, schema, text, uuid } from './json-schema.ts'

/** What every error but 401 and a body that is no JSON answers. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly errors: readonly Fault[]
  /** How many other faults were found. */
  readonly more?: number
  /** 403 only. */
  readonly error?: 'insufficient_scope'
  /** 500 only: what to ask the operator of the service about. */
  readonly requestId?: string
}

const fault = object({ field: text, code: { type: 'string', examples: faultCodes }, message: text })

export const errorBody = schema<ErrorBody>(
  object(
    {
      code: text,
      message: text,
      errors: list(fault, { description: 'The first 20 faults; of an import the first 1,000' }),
      more: { ...int, description: 'How many other faults were found; left out where there are none' },
      error: { const: 'insufficient_scope' },
      requestId: uuid,
    },
    ['more', 'error', 'requestId'],
  ),
)

/** 400 of a body that is no JSON. */
export const parseErrorBody = schema<{ readonly message: 'Problem parsing JSON' }>({
  ...object({ message: { const: 'Problem parsing JSON' } }),
  additionalProperties: false,
})

/** 401. */
export const tokenErrorBody = schema<{ readonly error: 'invalid_token'; readonly error_description: string }>({
  ...object({ error: { const: 'invalid_token' }, error_description: text }),
  additionalProperties: false,
})
