import * as client from 'openid-client'
import { unavailable } from '../../schema/errors.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { InvalidToken } from './authenticate.ts'
import { isWhole, type OpenIdIdentity, readIdentity, type RoleOfClaim } from './openid-claims.ts'
import { createDiscovery, type OpenIdClient } from './openid-discovery.ts'
import { type Flow, flowText, type LinkingSession, newFlow, readFlow } from './openid-flow.ts'
import { outageOf, verdictOf } from './openid-verdict.ts'

/** The OpenID Connect provider for sign-in. */
export interface OpenIdSettings extends OpenIdClient {
  /** URL at which browsers reach Takt: `https://takt.example`. */
  readonly publicUrl: string
  /** Display name of the provider. */
  readonly name: string
  readonly scopes: string
  readonly roleClaim: string
  /** Roles by values of the claim; empty: the values are names of roles. */
  readonly roles: RoleOfClaim
  /** Claim with the id of the company; null: the installation has only one. */
  readonly companyClaim: string | null
}

/** A browser that visits the provider. `session`: its user is to be linked; null: a sign-in. */
export interface Visitor {
  readonly address: string
  readonly session: LinkingSession
}

/** A browser that returns. `query`: of its URL; `flow`: the value of its cookie. */
export interface Returned extends Visitor {
  readonly query: string
  readonly flow: string
}

/** Signs users in at a provider: authorization code with PKCE, state and nonce. */
export interface OpenId extends Pick<OpenIdSettings, 'name' | 'publicUrl'> {
  /** Whether identities contain their company. */
  readonly tellsCompany: boolean
  /**
   * Returns the URL of the provider and the value of the browser's flow cookie. Rejects with 503 if the provider fails.
   */
  begin(visitor: Visitor): Promise<{ readonly url: string; readonly flow: string }>
  /**
   * Returns the identity of a browser that has returned. Rejects with an `InvalidToken` if this browser did not begin
   * the flow or the provider does not confirm the identity; with 503 if the provider fails.
   */
  finish(returned: Returned): Promise<OpenIdIdentity>
}

/** Path of the application's screen to which the provider redirects the browser. */
export const returnPath = '/app/sign-on'

/** Creates the client of a provider, whose metadata are requested at the first sign-in. */
export function createOpenId(settings: OpenIdSettings, clock: () => number): OpenId {
  const { name, publicUrl, companyClaim } = settings
  const discovered = createDiscovery(settings, clock)
  const inPlace = createPlaces()
  const redirectUri = new URL(returnPath, publicUrl).href
  return {
    name,
    publicUrl,
    tellsCompany: companyClaim !== null,
    begin: ({ address, session }) =>
      inPlace(address, async () => {
        const flow = newFlow()
        const url = client.buildAuthorizationUrl(await discovered(), {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, flow: flowText(flow, session) }
      }).catch(fails(outageOf)),
    async finish({ query, flow: given, session, address }) {
      const flow = readFlow(given, query, session)
      const back = new URL(redirectUri)
      back.search = query
      return inPlace(address, async () => {
        const config = await discovered().catch(fails(outageOf))
        return identityOf(config, back, flow, settings)
      }).catch(fails(verdictOf))
    },
  }
}

async function identityOf(
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
  const asks = !isWhole(claims, settings) && userinfo !== undefined
  const more = asks ? await client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(fails(outageOf)) : {}
  return readIdentity(claims, more, settings)
}

/** Maximum number of concurrent requests to the provider: in total and per address. */
const maxVisits = 20
const maxVisitsOfAddress = 4

/** Limits concurrent work; rejects with 503 at the limit. */
function createPlaces(): <T>(address: string, work: () => Promise<T>) => Promise<T> {
  const taken: string[] = []
  return async (address, work) => {
    const own = taken.filter(other => other === address).length
    if (taken.length >= maxVisits || own >= maxVisitsOfAddress) throw unavailable('Too many concurrent sign-ins', 2)
    taken.push(address)
    try {
      return await work()
    } finally {
      taken.splice(taken.indexOf(address), 1)
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
