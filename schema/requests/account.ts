import { list, localTime, named, object, type Infer, text } from '../types.ts'
import { scopes } from '../scopes.ts'

/** Name and time zone of a company, in responses to its callers. */
export const companySummary = named('CompanySummary', object({ id: text, name: text, timeZone: text }))

export const account = named(
  'Account',
  object({
    id: { ...text, description: "A user's id; `user-from-api-key` for every key" },
    displayName: text,
    companyId: text,
    company: named(
      'AccountCompany',
      object({ ...companySummary.properties, startOfDay: { ...localTime, description: 'Start of the shop day' } }),
    ),
    scopes: list({ ...text, examples: scopes }),
  }),
)
export type Account = Infer<typeof account>
