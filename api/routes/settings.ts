import { companySettings, companySettingsInput, defaultSignOn, settingsOf } from '../../schema/records/company.ts'
import { anyOf, signedInAs } from '../auth/scopes.ts'
import { jsonBody, route, commandBody } from '../http/route.ts'
import { submit } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'
import { signOn } from '../../schema/requests/openid.ts'
import { managingRoles } from '../../schema/roles.ts'

const getSettings = route('GET /settings', 'getSettings', {
  summary: 'The settings of the company',
  scope: anyOf('machine.read'),
  output: companySettings,
  handle: ({ caller }) => settingsOf(caller().company),
})

const putSettings = route('PUT /settings', 'putSettings', {
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

const path = '/settings/sign-on'
const scope = signedInAs(...managingRoles)

const getSignOn = route(`GET ${path}`, 'getSignOnSettings', {
  summary: 'Whether a sign-in at the OpenID Connect provider creates a user',
  scope,
  output: signOn,
  handle: ({ caller }) => caller().company.signOn ?? defaultSignOn,
})

const putSignOn = route(`PUT ${path}`, 'putSignOnSettings', {
  summary: 'Set whether a sign-in at the OpenID Connect provider creates a user',
  description: 'A role in the identity takes precedence over `defaultRole`, at each sign-in.',
  scope,
  body: commandBody(signOn),
  output: signOn,
  handle: ({ caller, body }, deps: CommandsPort) => submit(deps, caller(), 'sign-on.put', body),
})

export const settingsRoutes = [getSettings, putSettings, getSignOn, putSignOn]
