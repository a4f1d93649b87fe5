import { jsonProblems } from '../../shared/json/utf8.ts'
import { fieldErrorCodes } from '../errors.ts'
import { described, int, list, literal, named, object, type Infer, oneOf, text, unsafe, uuid } from '../types.ts'

const fieldErrorBody = named(
  'Fault',
  object({ field: text, code: { ...text, examples: fieldErrorCodes }, message: text }),
)

/**
 * Body of every error except 401 and the 400 of an invalid JSON body. `error`: 403 only. `requestId`: 500 only; the log
 * contains the error under this id.
 */
export const errorBody = named(
  'Error',
  object(
    {
      code: text,
      message: text,
      errors: list(fieldErrorBody, { description: 'The first 20 field errors; of an import the first 1,000' }),
      more: described(int, 'Number of further errors; omitted if there are none'),
      error: literal('insufficient_scope'),
      requestId: uuid,
    },
    ['more', 'error', 'requestId'],
  ),
)
export type ErrorBody = Infer<typeof errorBody>

/** Body of a 400 for invalid JSON. */
const parseErrorBody = named('ParseError', {
  ...object({ message: named('ParseErrorMessage', oneOf(jsonProblems)) }),
  additionalProperties: false,
})

/** Body of a 401. */
export const tokenErrorBody = named('TokenError', {
  ...object({ error: literal('invalid_token'), error_description: text }),
  additionalProperties: false,
})

/** Body of a 403. */
export const forbiddenErrorBody = named(
  'ForbiddenError',
  object({ code: text, message: text, errors: list(fieldErrorBody), error: literal('insufficient_scope') }),
)

/** Body of a 400. */
export const badRequestBody = named('BadRequestError', unsafe<ErrorBody>({ anyOf: [errorBody, parseErrorBody] }))
