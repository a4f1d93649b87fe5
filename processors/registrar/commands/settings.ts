import {
  type CompanyRecord,
  type CompanySettings,
  type Thresholds,
  defaultCompanySettings,
} from '../../../schema/records.ts'
import { type CommandSpec, changeTo, companyCommand } from '../command.ts'
import { flag, integer, name, oneOf, optional, payloadOf, thresholds } from '../shapes.ts'
import { type GivenThresholds, type Given, someThresholds, withDefaults } from './given.ts'

type PutSettings = Given<Omit<CompanySettings, 'thresholds'>> & { readonly thresholds?: GivenThresholds }

/** Replaces a company's settings; what is left out takes its default, but the company keeps its name. Answers the settings. */
const putSettings: CommandSpec = companyCommand(
  'settings.put',
  payloadOf<PutSettings>(
    optional({
      companyName: name,
      timeZone: { type: 'string', format: 'timeZone' },
      startOfDay: { type: 'string', format: 'localTime' },
      firstDayOfWeek: integer(1, 7),
      scheduledBy: oneOf(['shift', 'job']),
      autoProduction: flag,
      operatorMaxHours: { type: 'number', exclusiveMinimum: 0, maximum: 8784 },
      maxSampleAgeDays: integer(1, 20_000),
      thresholds,
    }),
  ),
  (payload, { company }) => {
    const { thresholds: defaults, ...plain } = defaultCompanySettings
    const allThresholds: Thresholds = { ...defaults, ...someThresholds(payload.thresholds) }
    const settings: CompanySettings = {
      ...withDefaults({ ...plain, companyName: company.settings.companyName }, payload),
      thresholds: allThresholds,
    }
    const after: CompanyRecord = { ...company, settings }
    return { changes: changeTo('company', company.id, company, after), result: settings }
  },
)

export const settingsCommands = [putSettings]
