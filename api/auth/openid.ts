import * as client from 'openid-client'
import { unavailable, ApiError } from '../../schema/errors.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { InvalidToken } from './authenticate.ts'
import { isWhole, type OpenIdIdentity, readIdentity, type RoleOfClaim } from './openid-claims.ts'
import { createDiscovery, type OpenIdClient } from './openid-discovery.ts'
import { createHash } from 'node:crypto'
import { ProviderUnavailable } from './bounded-fetch.ts'

/** The OpenID Connect provider for sign-in. */
export interface OpenIdSettings extends OpenIdClient {
  /** URL at which browsers reach Takt: `https://takt.example`. */
  readonly publicUrl: string
  readonly name: string
  readonly scopes: string
  readonly roleClaim: string
  /** Roles by values of the claim; empty: the values are names of roles. */
  readonly roles: RoleOfClaim
  /** Claim with the id of the company; null: the installation has only one. */
  readonly companyClaim: string | null
}

/** A browser that visits the provider. `session`: its user is to be linked; null: a sign-in. */
interface Visitor {
  readonly address: string
  readonly session: LinkingSession
}

/** A browser that returns. `query`: of its URL; `flow`: the value of its cookie. */
interface Returned extends Visitor {
  readonly query: string
  readonly flow: string
}

/** Signs users in at a provider: authorization code with PKCE, state and nonce. */
export interface OpenId extends Pick<OpenIdSettings, 'name' | 'publicUrl'> {
  readonly hasCompanyClaim: boolean
  /** Returns the provider's URL and the value of the flow cookie. Rejects with 503 if the provider fails. */
  begin(visitor: Visitor): Promise<{ readonly url: string; readonly flow: string }>
  /** Returns the identity of a returned browser. Rejects with an `InvalidToken`, or with 503 if the provider fails. */
  finish(returned: Returned): Promise<OpenIdIdentity>
}

/** Path of the application's screen to which the provider redirects the browser. */
export const returnPath = '/app/sign-on'

/** Creates the client of a provider, whose metadata are requested at the first sign-in. */
export function createOpenId(settings: OpenIdSettings, clock: () => number): OpenId {
  const { name, publicUrl, companyClaim } = settings
  const discovered = createDiscovery(settings, clock)
  const withSlot = createSlots()
  const redirectUri = new URL(returnPath, publicUrl).href
  return {
    name,
    publicUrl,
    hasCompanyClaim: companyClaim !== null,
    begin: ({ address, session }) =>
      withSlot(address, async () => {
        const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
        const url = client.buildAuthorizationUrl(await discovered(), {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, flow: [state, nonce, verifier, purposeOf(session)].join('.') }
      }).catch(fails(outageOf)),
    async finish({ query, flow: flowCookie, session, address }) {
      const flow = readFlow(flowCookie, query, session)
      const back = new URL(redirectUri)
      back.search = query
      return withSlot(address, async () => {
        const config = await discovered().catch(fails(outageOf))
        return fetchIdentity(config, back, flow, settings)
      }).catch(fails(verdictOf))
    },
  }
}

async function fetchIdentity(
  config: client.Configuration,
  back: URL,
  flow: Flow,
  settings: OpenIdSettings,
): Promise<OpenIdIdentity> {
  const { issuer, userinfo_endpoint: userinfo } = config.serverMetadata()
  const tokens = await client.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  // Some providers send ID tokens of other tenants, which the library accepts.
  if (claims?.iss !== issuer) throw new InvalidToken('The provider sent an identity of another issuer')
  const needsUserInfo = !isWhole(claims, settings) && userinfo !== undefined
  const more = needsUserInfo
    ? await client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(fails(outageOf))
    : {}
  return readIdentity(claims, more, settings)
}

/** Maximum number of concurrent requests to the provider: in total and per address. */
const maxVisits = 20
const maxVisitsOfAddress = 4

/** Limits concurrent work; rejects with 503 at the limit. */
function createSlots(): <T>(address: string, work: () => Promise<T>) => Promise<T> {
  const addresses: string[] = []
  return async (address, work) => {
    const own = addresses.filter(other => other === address).length
    if (addresses.length >= maxVisits || own >= maxVisitsOfAddress) throw unavailable('Too many concurrent sign-ins', 2)
    addresses.push(address)
    try {
      return await work()
    } finally {
      addresses.splice(addresses.indexOf(address), 1)
    }
  }
}

function fails(as: (error: unknown) => unknown): (error: unknown) => never {
  return error => {
    throw as(error)
  }
}

/** Names of roles, for providers whose claim contains them. */
export const rolesByName: RoleOfClaim = new Map<string, Role>(roles.map(role => [role, role]))

/** Secrets of one sign-in, known only to this browser until it returns. */
interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Purpose of the visit to the provider: to sign in (null), or to link the user of the session with this id. */
export type LinkingSession = string | null

/** The flow in a cookie, if purpose and query match. Throws an `InvalidToken` otherwise. */
function readFlow(text: string, query: string, session: LinkingSession): Flow {
  const [state = '', nonce = '', verifier = '', purpose, ...others] = text.split('.')
  const states = new URLSearchParams(query).getAll('state')
  // Each is 32 random bytes as base64url.
  if (![state, nonce, verifier].every(each => /^[\w-]{43}$/.test(each)) || others.length > 0) throw notBegun()
  if (purpose !== purposeOf(session) || states.length !== 1 || states[0] !== state) throw notBegun()
  return { state, nonce, verifier }
}

function purposeOf(session: LinkingSession): string {
  return session === null ? 'sign-in' : createHash('sha256').update(session).digest('base64url')
}

function notBegun(): InvalidToken {
  return new InvalidToken('This sign-in was started in another browser or more than ten minutes ago. Start it again.')
}

/** Error codes of an ID token that fails verification. */
const failedChecks: ReadonlySet<unknown> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
])

/** Maps an error of the flow to an `InvalidToken` if the user must sign in again, otherwise to 503. */
function verdictOf(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof InvalidToken) return error
  if (error instanceof client.AuthorizationResponseError)
    return new InvalidToken('The provider did not sign you in', false, error)
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
    return new InvalidToken('The provider did not confirm this sign-in. Start it again.', false, error)
  if (error instanceof client.ClientError && failedChecks.has(error.code))
    return new InvalidToken(`The identity of the provider failed verification (${error.code})`, false, error)
  return outageOf(error)
}

function outageOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const away = unavailableCause(error)
  const message = away
    ? 'The identity provider is unavailable. Retry later.'
    : 'The identity provider returned no valid response. Ask an IT admin to check the log.'
  const origin = away && (away.cause instanceof Error ? `${away.message}: ${away.cause.message}` : away.message)
  const reason = (origin ?? kindOf(error)).trim().slice(0, maxReasonChars)
  return unavailable(message, 5, new Error(`OpenID Connect: ${reason}`))
}

function unavailableCause(error: unknown): ProviderUnavailable | null {
  if (error instanceof ProviderUnavailable) return error
  return error instanceof Error ? unavailableCause(error.cause) : null
}

const maxReasonChars = 300

function kindOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return `${error.code} ${error.error} (HTTP ${error.status})`
  if (error instanceof client.WWWAuthenticateChallengeError) return `${error.code} (HTTP ${error.status})`
  if (!(error instanceof client.ClientError)) return error instanceof Error ? error.message : 'unknown'
  const status = error.cause instanceof Response ? ` (HTTP ${error.cause.status})` : ''
  return `${error.code ?? ''} ${error.message}${status}`
}
