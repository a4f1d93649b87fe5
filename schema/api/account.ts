import { list, object, schema, text } from './json-schema.ts'
import { scopes } from '../scopes.ts'

/** Who a key is. */
export interface Account {
  readonly id: 'user-from-api-key'
  readonly displayName: string
  readonly companyId: string
  readonly company: { readonly id: string; readonly name: string; readonly timeZone: string }
  readonly scopes: readonly string[]
}

export const account = schema<Account>(
  object({
    id: { const: 'user-from-api-key' },
    displayName: text,
    companyId: text,
    company: object({ id: text, name: text, timeZone: text }),
    scopes: list({ type: 'string', examples: scopes }),
  }),
)
