import { Type } from 'typebox'
import { hourMs } from '../../shared/time/units.ts'
import {
  bool,
  defaultsOf,
  described,
  id,
  inputSchema,
  integer,
  list,
  localTime,
  name,
  named,
  nullable,
  object,
  type Infer,
  oneOf,
  text,
  withDefault,
  withExamples,
} from '../types.ts'
import { defaultThresholds, thresholds, thresholdsInput } from './thresholds.ts'
import { role } from './role.ts'
import { companyRefSchema } from '../refs.ts'

export const scheduledBy = named('ScheduledBy', oneOf(['shift', 'job']))
export type ScheduledBy = Infer<typeof scheduledBy>

const callKind = named('CallKind', object({ id, name }))

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
  microstopMs: withDefault(
    described(integer(0, hourMs), 'Microstop threshold of machines without their own; 0: every stop is counted'),
    0,
  ),
  callKinds: withDefault(described(list(callKind, { maxItems: 100 }), 'Kinds of calls at machines'), [
    { id: 'material', name: 'Material' },
    { id: 'maintenance', name: 'Maintenance' },
    { id: 'quality', name: 'Quality' },
    { id: 'help', name: 'Help' },
  ]),
  thresholds: withDefault(thresholds, defaultThresholds),
}

/** Settings of a company, in the store and in responses. */
export const companySettings = named('Settings', object(fields))
export type CompanySettings = Infer<typeof companySettings>

/** Returns the maximum duration of a sign-in, ms. */
export function maxSignInMs({ operatorMaxHours }: Pick<CompanySettings, 'operatorMaxHours'>): number {
  return Math.round(operatorMaxHours * hourMs)
}

export const defaultCompanySettings: CompanySettings = defaultsOf(fields)

/** Returns all settings of a company; a setting that is newer than its record has the default. */
export function settingsOf({ settings }: { readonly settings: Partial<CompanySettings> }): CompanySettings {
  return { ...defaultCompanySettings, ...settings }
}

/** Request body for settings: omitted and null fields get their defaults. */
export const companySettingsInput = named(
  'SettingsInput',
  withExamples(inputSchema(fields, { thresholds: thresholdsInput }), {
    companyName: 'Smith Turning',
    timeZone: 'America/Chicago',
    startOfDay: '06:00',
    thresholds: { oeeWarning: 0.8 },
  }),
)

/** Settings for users who sign in at the OpenID Connect provider for the first time. */
export const signOnSettings = object({
  makesUsers: described(bool, 'Whether the first sign-in creates a user; otherwise existing users link their identity'),
  defaultRole: described(
    nullable(role),
    'Role of users for whom the provider sends no role; null: their sign-in is rejected',
  ),
})
export type SignOnSettings = Infer<typeof signOnSettings>
export const defaultSignOn: SignOnSettings = { makesUsers: false, defaultRole: null }

const company = object(
  {
    id: text,
    ref: companyRefSchema,
    settings: companySettings,
    /** If omitted, sign-in creates no users. */
    signOn: signOnSettings,
    /**
     * Secret that signs the company's user tokens: 32 bytes in hex. Created with the first token; no response contains
     * it.
     */
    tokenSecret: text,
  },
  ['tokenSecret', 'signOn'],
)
export type CompanyRecord = Infer<typeof company>
