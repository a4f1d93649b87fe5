import { list, named, object, text } from '../types.ts'

/** Something about a request or its response that the caller should know. */
const warning = named('Warning', object({ field: text, message: text }))

/** Member of a response; absent without warnings. `description`: when there are any. */
export function warnings(description: string) {
  return list(warning, { description })
}
