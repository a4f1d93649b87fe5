import { exampleIds } from '../../schema/example-ids.ts'
import { resultOf } from '../../schema/commands/command-log.ts'
import { ApiError, fault, notFound, validationError } from '../../schema/errors.ts'
import { openIdReturn, openIdStart, signInWays } from '../../schema/requests/openid.ts'
import { session } from '../../schema/requests/session.ts'
import { managingRoles, roles } from '../../schema/roles.ts'
import { nothing } from '../../schema/types.ts'
import { InvalidToken } from '../auth/authenticate.ts'
import type { OpenId } from '../auth/openid.ts'
import type { OpenIdIdentity } from '../auth/openid-claims.ts'
import { signedInAs } from '../auth/scopes.ts'
import type { Throttle } from '../auth/throttle.ts'
import { idIn, submit, withId } from '../commands/submit.ts'
import { clearFlowCookie, flowCookie, setFlowCookie } from '../http/cookie.ts'
import { type Call, jsonBody, route } from '../http/route.ts'
import type { CommandsPort, LookUpPort } from '../ports/ports.ts'
import { type SessionStartPort, startSession } from './start-session.ts'

interface OpenIdPort {
  /** null: no provider is configured. */
  readonly openid: OpenId | null
  /** Counts those who come back without an identity, by address. */
  readonly openidAttempts: Throttle
}

const by = { actor: 'openid', by: { kind: 'service', name: 'OpenID Connect' } } as const

const path = '/session/openid'
/** Path of the application's screen to which the provider sends the browser back. */
const returnPath = '/app/sign-on'

const getWays = route({
  method: 'GET',
  path: '/session/ways',
  summary: 'How users sign in',
  scope: 'public',
  output: signInWays,
  handle({ setHeader }, { openid }: OpenIdPort) {
    setHeader('Cache-Control', 'no-store')
    return { password: true, openid: openid && { name: openid.name } }
  },
})

const postStart = route({
  method: 'POST',
  path: `${path}/start`,
  summary: 'Begin to sign in at the OpenID Connect provider',
  description: `Answers the provider’s address for the browser, and gives it a cookie for ten minutes. The provider sends it back to \`${returnPath}\`, whose query goes to \`POST ${path}\`. 404 where no provider is configured.`,
  scope: 'public',
  refuses: true,
  mayMiss: true,
  output: openIdStart,
  async handle({ baseUrl, setHeader }, deps: OpenIdPort) {
    setHeader('Cache-Control', 'no-store')
    const { url, flow } = await providerOf(deps).begin(`${baseUrl}${returnPath}`)
    setHeader('Set-Cookie', setFlowCookie(flow, baseUrl))
    return { url }
  },
})

const postReturn = route({
  method: 'POST',
  path,
  summary: 'Sign in as the one whom the OpenID Connect provider vouches for',
  description:
    'Answers and sets the cookie as `POST /session` does. 401: this browser did not begin it, or the provider does not confirm it. 409: the company does not know the identity and makes no users of its own accord.',
  scope: 'public',
  refuses: true,
  mayMiss: true,
  body: jsonBody(openIdReturn),
  output: session,
  async handle({ body, ...call }, deps: OpenIdPort & LookUpPort & CommandsPort & SessionStartPort) {
    const identity = await identityOf(body.query, call, deps)
    const company = await companyOf(identity, deps)
    const { companyId: _, ...who } = identity
    const user = resultOf(await deps.commands.submit('user.identify', who, { ...by, companyId: company.id }))
    await deps.catchUpRecords()
    return startSession(user, (await deps.access.company(company.id)) ?? company, call, deps)
  },
})

const postLink = route({
  method: 'POST',
  path: `${path}/link`,
  summary: 'Link one’s own user to the identity at the OpenID Connect provider',
  description: 'Begun as a sign-in is. From then on the user signs in there, too. 409: another user has the identity.',
  scope: signedInAs(...roles),
  mayMiss: true,
  body: jsonBody(openIdReturn),
  output: nothing,
  async handle({ body, ...call }, deps: OpenIdPort & CommandsPort) {
    const { issuer, subject } = await identityOf(body.query, call, deps).catch(noSignOut)
    await submit(deps, call.caller(), 'user.link', { id: call.caller().id, identity: { issuer, subject } })
    return null
  },
})

const deleteIdentity = route({
  method: 'DELETE',
  path: '/users/:id/identity',
  example: { id: exampleIds.user },
  summary: 'Unlink a user from the identity at the OpenID Connect provider',
  description: 'Ends the user’s sessions. Without a password the user cannot sign in until one is set.',
  scope: signedInAs(...managingRoles),
  output: nothing,
  async handle({ caller, params }, deps: CommandsPort) {
    await submit(deps, caller(), 'user.link', withId({ identity: null }, idIn(params)))
    return null
  },
})

function providerOf({ openid }: OpenIdPort): OpenId {
  if (openid === null) throw notFound()
  return openid
}

/** Who came back; the cookie is used up. */
async function identityOf(
  query: string,
  { baseUrl, address, cookie, setHeader }: Pick<Call, 'baseUrl' | 'address' | 'cookie' | 'setHeader'>,
  deps: OpenIdPort,
): Promise<OpenIdIdentity> {
  const provider = providerOf(deps)
  setHeader('Cache-Control', 'no-store')
  setHeader('Set-Cookie', clearFlowCookie(baseUrl))
  return deps.openidAttempts.attempt(address, () =>
    provider.finish(`${baseUrl}${returnPath}`, query, cookie(flowCookie) ?? ''),
  )
}

/** The company that the provider names, or the first one. */
async function companyOf({ companyId }: OpenIdIdentity, { records, access }: LookUpPort & SessionStartPort) {
  const id = companyId ?? records.companies()[0]?.id
  const company = id === undefined ? null : await access.company(id)
  if (!company) throw new ApiError(409, 'Conflict', 'The provider names a company that does not exist here')
  return company
}

/** At a 401 clients would sign out. */
function noSignOut(error: unknown): never {
  if (error instanceof InvalidToken) throw validationError([fault('query', 'InvalidDataItem', error.message)])
  throw error
}

export const openIdRoutes = [getWays, postStart, postReturn, postLink, deleteIdentity]
