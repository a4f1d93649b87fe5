import { defaultSignOn } from '../../schema/records/company.ts'
import { signOn } from '../../schema/requests/openid.ts'
import { managingRoles } from '../../schema/roles.ts'
import { signedInAs } from '../auth/scopes.ts'
import { submit } from '../commands/submit.ts'
import { commandBody, route } from '../http/route.ts'
import type { CommandsPort } from '../ports/ports.ts'

const path = '/settings/sign-on'
const scope = signedInAs(...managingRoles)

const getSignOn = route({
  method: 'GET',
  path,
  operationId: 'getSignOnSettings',
  summary: 'Whether a sign-in at the OpenID Connect provider creates a user',
  scope,
  output: signOn,
  handle: ({ caller }) => caller().company.signOn ?? defaultSignOn,
})

const putSignOn = route({
  method: 'PUT',
  path,
  operationId: 'putSignOnSettings',
  summary: 'Set whether a sign-in at the OpenID Connect provider creates a user',
  description: 'A role in the identity takes precedence over `defaultRole`, at each sign-in.',
  scope,
  body: commandBody(signOn),
  output: signOn,
  handle: ({ caller, body }, deps: CommandsPort) => submit(deps, caller(), 'sign-on.put', body),
})

export const signOnRoutes = [getSignOn, putSignOn]
