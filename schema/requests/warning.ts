import { list, named, object, text } from '../types.ts'

/** Warning about a request or its response. */
const warning = named('Warning', object({ field: text, message: text }))

/**
 * Schema of the member `warnings` of a response, which is omitted if there are none. `description`: when there are
 * warnings.
 */
export function warnings(description: string) {
  return list(warning, { description })
}
