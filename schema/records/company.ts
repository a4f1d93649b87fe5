import { Type } from 'typebox'
import {
  bool,
  defaultsOf,
  described,
  inputOf,
  integer,
  localTime,
  name,
  named,
  nullable,
  object,
  type Of,
  oneOf,
  text,
  withDefault,
  withExamples,
} from '../types.ts'
import { defaultThresholds, thresholds, thresholdsInput } from './thresholds.ts'
import { role } from './role.ts'
import { companyRefSchema } from '../refs.ts'

export const scheduledBy = named('ScheduledBy', oneOf(['shift', 'job']))
export type ScheduledBy = Of<typeof scheduledBy>

const fields = {
  companyName: withDefault(name, 'My plant'),
  timeZone: withDefault(
    Type.String({ format: 'timeZone', description: 'IANA time zone, e.g. America/Chicago' }),
    'UTC',
  ),
  startOfDay: withDefault(localTime, '00:00'),
  firstDayOfWeek: withDefault(described(integer(1, 7), '1 = Monday … 7 = Sunday'), 1),
  scheduledBy: withDefault(scheduledBy, 'shift'),
  autoProduction: withDefault(bool, false),
  operatorMaxHours: withDefault(Type.Number({ exclusiveMinimum: 0, maximum: 8784 }), 16),
  maxSampleAgeDays: withDefault(integer(1, 20_000), 7300),
  thresholds: withDefault(thresholds, defaultThresholds),
}

/** Settings of a company as stored and answered. */
export const companySettings = named('Settings', object(fields))
export type CompanySettings = Of<typeof companySettings>

export const defaultCompanySettings: CompanySettings = defaultsOf(fields)

/** Settings as a caller sends them: what is left out, or null, has its default. */
export const companySettingsInput = named(
  'SettingsInput',
  withExamples(inputOf(fields, { thresholds: thresholdsInput }), {
    companyName: 'Smith Turning',
    timeZone: 'America/Chicago',
    startOfDay: '06:00',
    thresholds: { oeeWarning: 0.8 },
  }),
)

/** Users who sign in at the OpenID Connect provider and whom the company does not know yet. */
export const signOnSettings = object({
  makesUsers: described(bool, 'Whether the first sign-in creates a user; otherwise existing users link their identity'),
  defaultRole: described(
    nullable(role),
    'Role of those for whom the provider names none, or none any more; null: they are refused',
  ),
})
export type SignOnSettings = Of<typeof signOnSettings>
export const defaultSignOn: SignOnSettings = { makesUsers: false, defaultRole: null }

const company = object(
  {
    id: text,
    ref: companyRefSchema,
    settings: companySettings,
    /** Omitted: sign-in creates no users. */
    signOn: signOnSettings,
    /** Secret that signs the company's user tokens: 32 bytes, hex. Created for the first token; never shown. */
    tokenSecret: text,
  },
  ['tokenSecret', 'signOn'],
)
export type CompanyRecord = Of<typeof company>
