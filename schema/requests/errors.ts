import { jsonProblems } from '../../shared/json/utf8.ts'
import { fieldErrorCodes } from '../errors.ts'
import * as t from '../types.ts'

const fieldErrorBody = t.named(
  'Fault',
  t.object({ field: t.text, code: { ...t.text, examples: fieldErrorCodes }, message: t.text }),
)

/**
 * Body of every error except 401 and the 400 of an invalid JSON body. `error`: 403 only. `requestId`: 500 only; the log
 * contains the error under this id.
 */
export const errorBody = t.named(
  'Error',
  t.object(
    {
      code: t.text,
      message: t.text,
      errors: t.list(fieldErrorBody, { description: 'The first 20 field errors; of an import the first 1,000' }),
      more: t.described(t.int, 'Number of further errors; omitted if there are none'),
      error: t.literal('insufficient_scope'),
      requestId: t.uuid,
    },
    ['more', 'error', 'requestId'],
  ),
)
export type ErrorBody = t.Infer<typeof errorBody>

/** Body of a 400 for invalid JSON. */
const parseErrorBody = t.named('ParseError', {
  ...t.object({ message: t.named('ParseErrorMessage', t.oneOf(jsonProblems)) }),
  additionalProperties: false,
})

/** Body of a 401. */
export const tokenErrorBody = t.named('TokenError', {
  ...t.object({ error: t.literal('invalid_token'), error_description: t.text }),
  additionalProperties: false,
})

/** Body of a 403. */
export const forbiddenErrorBody = t.named(
  'ForbiddenError',
  t.object({ code: t.text, message: t.text, errors: t.list(fieldErrorBody), error: t.literal('insufficient_scope') }),
)

/** Body of a 400. */
export const badRequestBody = t.named('BadRequestError', t.unsafe<ErrorBody>({ anyOf: [errorBody, parseErrorBody] }))
