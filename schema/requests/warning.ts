import * as t from '../types.ts'

/** Warning about a request or its response. */
const warning = t.named('Warning', t.object({ field: t.text, message: t.text }))

/**
 * Schema of the member `warnings` of a response, which is omitted if there are none. `description`: when there are
 * warnings.
 */
export function warnings(description: string) {
  return t.list(warning, { description })
}
