import type { CompanySettings, Thresholds } from '../records.ts'
import {
  bool,
  fraction,
  int,
  type JsonSchema,
  localTime,
  name,
  object,
  optional,
  partial,
  schema,
} from './json-schema.ts'

export const thresholds = {
  oeeWarning: fraction,
  oeeFailure: fraction,
  partsGoalWarning: fraction,
  partsGoalFailure: fraction,
  utilizationWarning: fraction,
  utilizationFailure: fraction,
} as const satisfies Record<keyof Thresholds, JsonSchema>

const properties = {
  companyName: name,
  timeZone: { type: 'string', format: 'timeZone', description: 'IANA time zone, e.g. America/Chicago' },
  startOfDay: localTime,
  firstDayOfWeek: { ...int, minimum: 1, maximum: 7, description: '1 = Monday … 7 = Sunday' },
  scheduledBy: { type: 'string', enum: ['shift', 'job'] },
  autoProduction: bool,
  operatorMaxHours: { type: 'number', exclusiveMinimum: 0, maximum: 8784 },
  maxSampleAgeDays: { ...int, minimum: 1, maximum: 20_000 },
} as const satisfies Partial<Record<keyof CompanySettings, JsonSchema>>

/** Settings as stored and answered. */
export const companySettings = schema<CompanySettings>(object({ ...properties, thresholds: object(thresholds) }))

/** Body of `PUT /settings`: what is left out, or null, has its default. */
export type SettingsInput = {
  readonly [Key in keyof Omit<CompanySettings, 'thresholds'>]?: CompanySettings[Key] | null
} & { readonly thresholds?: Partial<Record<keyof Thresholds, number | null>> | null }

export const settingsInput = schema<SettingsInput>(
  partial(optional({ ...properties, thresholds: partial(optional(thresholds)) })),
)
