import { jsonProblems } from '../../shared/json/utf8.ts'
import { faultCodes } from '../errors.ts'
import { described, int, list, literal, named, object, type Of, oneOf, text, unsafe, uuid } from '../types.ts'

const fault = named('Fault', object({ field: text, code: { ...text, examples: faultCodes }, message: text }))

/**
 * Body of every error except 401 and the 400 of an invalid JSON body. `error`: 403 only. `requestId`: 500 only; the
 * operator finds the error in the log by it.
 */
export const errorBody = named(
  'Error',
  object(
    {
      code: text,
      message: text,
      errors: list(fault, { description: 'The first 20 faults; of an import the first 1,000' }),
      more: described(int, 'Number of further errors; omitted if there are none'),
      error: literal('insufficient_scope'),
      requestId: uuid,
    },
    ['more', 'error', 'requestId'],
  ),
)
export type ErrorBody = Of<typeof errorBody>

/** 400 of an invalid JSON body. */
const parseErrorBody = named('ParseError', {
  ...object({ message: named('ParseErrorMessage', oneOf(jsonProblems)) }),
  additionalProperties: false,
})

/** 401. */
export const tokenErrorBody = named('TokenError', {
  ...object({ error: literal('invalid_token'), error_description: text }),
  additionalProperties: false,
})

/** 403. */
export const forbiddenErrorBody = named(
  'ForbiddenError',
  object({ code: text, message: text, errors: list(fault), error: literal('insufficient_scope') }),
)

/** 400. */
export const badRequestBody = named('BadRequestError', unsafe<ErrorBody>({ anyOf: [errorBody, parseErrorBody] }))
