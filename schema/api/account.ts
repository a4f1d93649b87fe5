import { list, object, schema, text } from './json-schema.ts'
import { scopes } from '../scopes.ts'

/** Who asks. */
export interface Account {
  /** A user's; of every key it is `user-from-api-key`. */
  readonly id: string
  readonly displayName: string
  readonly companyId: string
  readonly company: { readonly id: string; readonly name: string; readonly timeZone: string }
  readonly scopes: readonly string[]
}

export const account = schema<Account>(
  object({
    id: { ...text, description: "A user's id; `user-from-api-key` for every key" },
    displayName: text,
    companyId: text,
    company: object({ id: text, name: text, timeZone: text }),
    scopes: list({ type: 'string', examples: scopes }),
  }),
)
