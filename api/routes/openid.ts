import { managingRoles, roles } from '../../schema/roles.ts'
import { exampleIds } from '../../schema/example-ids.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { ApiError, fieldError, notFound, validationError } from '../../schema/errors.ts'
import { openIdLink, openIdReturn, openIdStart, signInWays } from '../../schema/requests/openid.ts'
import { sessionResponse } from '../../schema/requests/session.ts'
import { noPassword } from '../../schema/records/user.ts'
import { nullSchema } from '../../schema/types.ts'
import { InvalidToken } from '../auth/authenticate.ts'
import { type OpenId, returnPath, type LinkingSession } from '../auth/openid.ts'
import type { OpenIdIdentity } from '../auth/openid-claims.ts'
import { signedInAs } from '../auth/scopes.ts'
import type { Throttle } from '../auth/throttle.ts'
import { pathId, submit, withId } from '../commands/submit.ts'
import { cookieHeader, cookieNameAt } from '../http/cookie.ts'
import { type Call, jsonBody, route } from '../http/route.ts'
import type { CommandsPort, LookUpPort, RecordsPort } from '../ports/ports.ts'
import {
  checkPassword,
  signedIn,
  signInSource,
  type SignInPort,
  type SessionStartPort,
  startSession,
} from './session.ts'

interface OpenIdPort {
  /** null: no provider is configured. */
  readonly openid: OpenId | null
  /** Limits the starts of sign-ins by address. */
  readonly openidStarts: Throttle
  /** Limits the returns without an identity by address. */
  readonly openidAttempts: Throttle
}

const by = { actor: 'openid', by: { kind: 'service', name: 'OpenID Connect' } } as const

const path = '/session/openid'

const getWays = route('GET /session/ways', 'getSignInMethods', {
  summary: 'How users sign in',
  scope: 'public',
  output: signInWays,
  handle(_call, { openid }: OpenIdPort) {
    return { password: true, openid: openid && { name: openid.name } }
  },
})

const postStart = route(`POST ${path}/start`, 'startOpenIdSignIn', {
  summary: 'Start a sign-in at the OpenID Connect provider',
  description: `Returns the URL of the provider for the browser, and sets a cookie for ten minutes. The provider redirects the browser to \`${returnPath}\`, whose query goes to \`POST ${path}\`. 404: no provider is configured. 409: there are several companies, and identities do not contain their company.`,
  scope: 'public',
  mayReject: true,
  mayMiss: true,
  output: openIdStart,
  handle: (call, deps: OpenIdPort & RecordsPort) => begin(call, null, deps),
})

const postReturn = route(`POST ${path}`, 'finishOpenIdSignIn', {
  summary: 'Sign in with the identity at the OpenID Connect provider',
  description:
    'Response and cookie are those of `POST /session`. 401: this browser did not start the sign-in, or the provider does not confirm it. 409: the identity is unknown and the company does not create users automatically, or the provider has removed the role.',
  scope: 'public',
  mayReject: true,
  mayMiss: true,
  body: jsonBody(openIdReturn),
  output: sessionResponse,
  async handle({ body, ...call }, deps: OpenIdPort & LookUpPort & CommandsPort & SessionStartPort) {
    const identity = await finishSignIn(body.query, call, null, deps)
    const company = await companyOf(identity, deps)
    const { companyId: _, ...who } = identity
    const user = resultOrThrow(await deps.commands.submit('user.identify', who, { ...by, companyId: company.id }))
    if (!user) throw new ApiError(409, 'Conflict', 'The provider no longer assigns you a role. Ask an IT admin.')
    await deps.catchUpRecords()
    return startSession(user, (await deps.access.company(company.id)) ?? company, call, deps)
  },
})

const postLinkStart = route(`POST ${path}/link/start`, 'startOpenIdLink', {
  summary: 'Start to link the caller’s user to an identity at the OpenID Connect provider',
  description: `As \`POST ${path}/start\`; the query goes to \`POST ${path}/link\`, in the same session. 409: the user is linked already.`,
  scope: signedInAs(...roles),
  mayMiss: true,
  output: openIdStart,
  handle(call, deps: OpenIdPort & RecordsPort) {
    const { user, session } = signedIn(call.caller())
    if ((user.identity ?? null) !== null) throw new ApiError(409, 'Conflict', 'Your user is linked already')
    return begin(call, session.id, deps)
  },
})

const postLink = route(`POST ${path}/link`, 'finishOpenIdLink', {
  summary: 'Link the caller’s user to an identity at the OpenID Connect provider',
  description:
    'Afterwards the user can sign in there, too. Users with a password must send it; 400: the password is wrong, and may be sent again. 409: another user has the identity, the user has another one, or the identity belongs to another company.',
  scope: signedInAs(...roles),
  mayMiss: true,
  body: jsonBody(openIdLink),
  output: nullSchema,
  async handle(
    { body: { query, currentPassword = null }, ...call },
    deps: OpenIdPort & LookUpPort & CommandsPort & SessionStartPort & SignInPort,
  ) {
    const { user, session } = signedIn(call.caller())
    if (user.passwordHash !== noPassword) await checkPassword(user, currentPassword ?? '', signInSource(call), deps)
    const identity = await finishSignIn(query, call, session.id, deps).catch(noSignOut)
    const company = await companyOf(identity, deps)
    if (company.id !== user.companyId) throw new ApiError(409, 'Conflict', 'This identity belongs to another company')
    const { issuer, subject } = identity
    await submit(deps, call.caller(), 'user.link', { id: user.id, identity: { issuer, subject } })
    return null
  },
})

const deleteOwnIdentity = route('DELETE /session/identity', 'unlinkIdentity', {
  summary: 'Unlink the caller’s user from the identity at the OpenID Connect provider',
  description: 'Ends the other sessions of the user. 409: the user has no password, and could no longer sign in.',
  scope: signedInAs(...roles),
  output: nullSchema,
  async handle({ caller }, deps: CommandsPort) {
    const { user, session } = signedIn(caller())
    if (user.passwordHash === noPassword)
      throw new ApiError(409, 'Conflict', 'You have no password, and could no longer sign in. Ask an IT admin for one.')
    await submit(deps, caller(), 'user.link', { id: user.id, identity: null, keepSession: session.id })
    return null
  },
})

const deleteIdentity = route('DELETE /users/:id/identity', 'unlinkUserIdentity', {
  example: { id: exampleIds.user },
  summary: 'Unlink a user from the identity at the OpenID Connect provider',
  description:
    'Ends the user’s sessions. Without a password the user cannot sign in until one is set. If the company creates users automatically, the identity may become a new user: to prevent a sign-in, disable the user instead. 409 for the last it_admin who can sign in.',
  scope: signedInAs(...managingRoles),
  output: nullSchema,
  async handle({ caller, params }, deps: CommandsPort) {
    await submit(deps, caller(), 'user.link', withId({ identity: null }, pathId(params)))
    return null
  },
})

function providerOf({ openid }: OpenIdPort): OpenId {
  if (openid === null) throw notFound()
  return openid
}

type Visit = Pick<Call, 'address' | 'cookie' | 'setHeader'>

/** Redirects the browser to the provider. */
async function begin({ address, setHeader }: Visit, session: LinkingSession, deps: OpenIdPort & RecordsPort) {
  const provider = providerOf(deps)
  assertSingleCompany(deps)
  await deps.openidStarts.count(address)
  const { url, flow } = await provider.begin({ address, session })
  setHeader('Set-Cookie', cookieHeader('flow', flow, provider.publicUrl))
  return { url }
}

/** The identity of the returned browser; deletes the cookie. */
async function finishSignIn(
  query: string,
  { address, cookie, setHeader }: Visit,
  session: LinkingSession,
  deps: OpenIdPort & RecordsPort,
): Promise<OpenIdIdentity> {
  const provider = providerOf(deps)
  assertSingleCompany(deps)
  setHeader('Set-Cookie', cookieHeader('flow', '', provider.publicUrl, 0))
  const flow = cookie(cookieNameAt('flow', provider.publicUrl)) ?? ''
  return deps.openidAttempts.attempt(address, () => provider.finish({ query, flow, address, session }))
}

/** Throws if identities do not contain their company and there are several companies. */
function assertSingleCompany({ openid, records }: OpenIdPort & RecordsPort): void {
  if (openid?.hasCompanyClaim === true || records.companies().length < 2) return
  throw new ApiError(
    409,
    'Conflict',
    'There are several companies: set TAKT_OIDC_COMPANY_CLAIM to the claim with the company',
  )
}

/** The company in the identity, or the only one. */
async function companyOf({ companyId }: OpenIdIdentity, { records, access }: LookUpPort & SessionStartPort) {
  const id = companyId ?? records.companies()[0]?.id
  const company = id === undefined ? null : await access.company(id)
  if (!company) throw new ApiError(409, 'Conflict', 'The company of this identity does not exist')
  return company
}

/** Replaces 401, at which clients would sign out. */
function noSignOut(error: unknown): never {
  if (error instanceof InvalidToken) throw validationError([fieldError('query', 'InvalidDataItem', error.message)])
  throw error
}

export const openIdRoutes = [getWays, postStart, postReturn, postLinkStart, postLink, deleteOwnIdentity, deleteIdentity]
