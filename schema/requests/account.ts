import * as t from '../types.ts'
import { scopes } from '../scopes.ts'

/** Name and time zone of a company, in responses to its callers. */
export const companySummary = t.named('CompanySummary', t.object({ id: t.text, name: t.text, timeZone: t.text }))

export const account = t.named(
  'Account',
  t.object({
    id: { ...t.text, description: "A user's id; `user-from-api-key` for every key" },
    displayName: t.text,
    companyId: t.text,
    company: t.named(
      'AccountCompany',
      t.object({ ...companySummary.properties, startOfDay: { ...t.localTime, description: 'Start of the shop day' } }),
    ),
    scopes: t.list({ ...t.text, examples: scopes }),
  }),
)
export type Account = t.Infer<typeof account>
