import { companySettings, companySettingsInput } from '../../schema/records/company.ts'
import { anyOf } from '../auth/scopes.ts'
import { jsonBody, route } from '../http/route.ts'
import { submit } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'

const getSettings = route({
  method: 'GET',
  path: '/settings',
  operationId: 'getSettings',
  summary: 'The settings of the company',
  scope: anyOf('machine.read'),
  output: companySettings,
  handle: ({ caller }) => caller().company.settings,
})

const putSettings = route({
  method: 'PUT',
  path: '/settings',
  operationId: 'putSettings',
  summary: 'Replace the settings of the company',
  description: 'Omitted settings get their defaults, except the name of the company. Past reports change too.',
  scope: anyOf('machine'),
  body: jsonBody(companySettingsInput),
  output: companySettings,
  async handle({ caller, body }, deps: CommandsPort & RecordsPort) {
    const { company } = caller()
    await submit(deps, caller(), 'settings.put', body)
    return (deps.records.company(company.id) ?? company).settings
  },
})

export const settingsRoutes = [getSettings, putSettings]
