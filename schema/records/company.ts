import { Type } from 'typebox'
import { hourMs } from '../../shared/time/units.ts'
import * as t from '../types.ts'
import { defaultThresholds, thresholds, thresholdsInput } from './thresholds.ts'
import { role } from './role.ts'
import { companyRefSchema } from '../refs.ts'

export const scheduledBy = t.named('ScheduledBy', t.oneOf(['shift', 'job']))
export type ScheduledBy = t.Infer<typeof scheduledBy>

const callKind = t.named('CallKind', t.object({ id: t.id, name: t.name }))

const fields = {
  companyName: t.withDefault(t.name, 'My plant'),
  timeZone: t.withDefault(
    Type.String({ format: 'timeZone', description: 'IANA time zone, e.g. America/Chicago' }),
    'UTC',
  ),
  startOfDay: t.withDefault(t.localTime, '00:00'),
  firstDayOfWeek: t.withDefault(t.described(t.integer(1, 7), '1 = Monday … 7 = Sunday'), 1),
  scheduledBy: t.withDefault(scheduledBy, 'shift'),
  autoProduction: t.withDefault(t.bool, false),
  operatorMaxHours: t.withDefault(Type.Number({ exclusiveMinimum: 0, maximum: 8784 }), 16),
  maxSampleAgeDays: t.withDefault(t.integer(1, 20_000), 7300),
  microstopMs: t.withDefault(
    t.described(t.integer(0, hourMs), 'Microstop threshold of machines without their own; 0: every stop is counted'),
    0,
  ),
  callKinds: t.withDefault(t.described(t.list(callKind, { maxItems: 100 }), 'Kinds of calls at machines'), [
    { id: 'material', name: 'Material' },
    { id: 'maintenance', name: 'Maintenance' },
    { id: 'quality', name: 'Quality' },
    { id: 'help', name: 'Help' },
  ]),
  thresholds: t.withDefault(thresholds, defaultThresholds),
}

/** Settings of a company, in the store and in responses. */
export const companySettings = t.named('Settings', t.object(fields))
export type CompanySettings = t.Infer<typeof companySettings>

/** Returns the maximum duration of a sign-in, ms. */
export function maxSignInMs({ operatorMaxHours }: Pick<CompanySettings, 'operatorMaxHours'>): number {
  return Math.round(operatorMaxHours * hourMs)
}

export const defaultCompanySettings: CompanySettings = t.defaultsOf(fields)

/** Returns all settings of a company; a setting that is newer than its record has the default. */
export function settingsOf({ settings }: { readonly settings: Partial<CompanySettings> }): CompanySettings {
  return { ...defaultCompanySettings, ...settings }
}

/** Request body for settings: omitted and null fields get their defaults. */
export const companySettingsInput = t.named(
  'SettingsInput',
  t.withExamples(t.inputSchema(fields, { thresholds: thresholdsInput }), {
    companyName: 'Smith Turning',
    timeZone: 'America/Chicago',
    startOfDay: '06:00',
    thresholds: { oeeWarning: 0.8 },
  }),
)

/** Settings for users who sign in at the OpenID Connect provider for the first time. */
export const signOnSettings = t.object({
  makesUsers: t.described(
    t.bool,
    'Whether the first sign-in creates a user; otherwise existing users link their identity',
  ),
  defaultRole: t.described(
    t.nullable(role),
    'Role of users for whom the provider sends no role; null: their sign-in is rejected',
  ),
})
export type SignOnSettings = t.Infer<typeof signOnSettings>
export const defaultSignOn: SignOnSettings = { makesUsers: false, defaultRole: null }

const company = t.object(
  {
    id: t.text,
    ref: companyRefSchema,
    settings: companySettings,
    /** If omitted, sign-in creates no users. */
    signOn: signOnSettings,
    /**
     * Secret that signs the company's user tokens: 32 bytes in hex. Created with the first token; no response contains
     * it.
     */
    tokenSecret: t.text,
  },
  ['tokenSecret', 'signOn'],
)
export type CompanyRecord = t.Infer<typeof company>
