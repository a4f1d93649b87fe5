import { list, object, type Of, text } from '../types.ts'
import { scopes } from '../scopes.ts'

export const account = object({
  id: { ...text, description: "A user's id; `user-from-api-key` for every key" },
  displayName: text,
  companyId: text,
  company: object({ id: text, name: text, timeZone: text }),
  scopes: list({ ...text, examples: scopes }),
})
export type Account = Of<typeof account>
