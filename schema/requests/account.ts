import { list, localTime, named, object, type Of, text } from '../types.ts'
import { scopes } from '../scopes.ts'

/** A company as its callers see it. */
export const companySummary = named('CompanySummary', object({ id: text, name: text, timeZone: text }))

export const account = named(
  'Account',
  object({
    id: { ...text, description: "A user's id; `user-from-api-key` for every key" },
    displayName: text,
    companyId: text,
    company: named(
      'AccountCompany',
      object({ ...companySummary.properties, startOfDay: { ...localTime, description: 'When its days begin' } }),
    ),
    scopes: list({ ...text, examples: scopes }),
  }),
)
export type Account = Of<typeof account>
