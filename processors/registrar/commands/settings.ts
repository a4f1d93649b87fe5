import { type CompanyRecord, type CompanySettings, defaultCompanySettings } from '../../../schema/records/company.ts'
import type { Thresholds } from '../../../schema/records/thresholds.ts'
import type { FieldError } from '../../../schema/errors.ts'
import { throwIfInvalid } from '../deciding/command-rejection.ts'
import { type CommandSpec, changeTo, companyCommand } from '../deciding/command.ts'
import { problem } from './connector-mapping.ts'
import { providedThresholds, withDefaults } from './optional-fields.ts'

/**
 * Replaces a company's settings; omitted fields get their defaults, except the name of the company. Returns the
 * settings.
 */
const putSettings: CommandSpec = companyCommand('settings.put', (payload, { company }) => {
  const { thresholds: defaults, ...plain } = defaultCompanySettings
  const allThresholds: Thresholds = { ...defaults, ...providedThresholds(payload.thresholds) }
  const settings: CompanySettings = {
    ...withDefaults({ ...plain, companyName: company.settings.companyName }, payload),
    thresholds: allThresholds,
    callKinds: (payload.callKinds ?? defaultCompanySettings.callKinds).map(({ id, name }) => ({ id, name })),
  }
  throwIfInvalid(findRepeatedKinds(settings))
  const after: CompanyRecord = { ...company, settings }
  return { changes: changeTo('company', company.id, company, after), result: settings }
})

function findRepeatedKinds({ callKinds }: CompanySettings): readonly FieldError[] {
  const ids = callKinds.map(({ id }) => id)
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index ? [] : [problem(`callKinds[${index}].id`, `contains '${id}' twice`)],
  )
}

/** Sets which identities of the provider become users at sign-in. Returns this setting. */
const putSignOn: CommandSpec = companyCommand('sign-on.put', ({ makesUsers, defaultRole }, { company }) => {
  const signOn = { makesUsers, defaultRole }
  return { changes: changeTo('company', company.id, company, { ...company, signOn }), result: signOn }
})

export const settingsCommands = [putSettings, putSignOn]
