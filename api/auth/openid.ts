import * as client from 'openid-client'
import { unavailable } from '../../schema/errors.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { InvalidToken } from './authenticate.ts'
import { isWhole, type OpenIdIdentity, readIdentity, type RoleOfClaim } from './openid-claims.ts'
import { createDiscovery, type OpenIdClient } from './openid-discovery.ts'
import { type Flow, flowText, type LinkingSession, newFlow, readFlow } from './openid-flow.ts'
import { outageOf, verdictOf } from './openid-verdict.ts'

/** The OpenID Connect provider at which users may sign in. */
export interface OpenIdSettings extends OpenIdClient {
  /** Address at which browsers reach Takt: `https://takt.example`. */
  readonly publicUrl: string
  /** Name of the provider for people. */
  readonly name: string
  readonly scopes: string
  readonly roleClaim: string
  /** Roles by values of the claim; empty: the values are the names of roles. */
  readonly roles: RoleOfClaim
  /** Claim that holds the id of the company; null: the only company. */
  readonly companyClaim: string | null
}

/** Who visits the provider. `session`: the one whose user is to be linked; null: somebody signs in. */
export interface Visitor {
  readonly address: string
  readonly session: LinkingSession
}

/** A browser that comes back. `query`: of its address; `flow`: the value of its cookie. */
export interface Returned extends Visitor {
  readonly query: string
  readonly flow: string
}

/** Signs users in at a provider: authorization code with PKCE, state and nonce. */
export interface OpenId extends Pick<OpenIdSettings, 'name' | 'publicUrl'> {
  /** Whether identities tell their company. */
  readonly tellsCompany: boolean
  /** Where the browser goes, and what it must bring back (for its cookie alone). Rejects with 503 where the provider fails. */
  begin(visitor: Visitor): Promise<{ readonly url: string; readonly flow: string }>
  /**
   * Who came back. Rejects with an `InvalidToken` where it is nobody whom this browser sent for this, or whom the provider does not
   * vouch for; with 503 where the provider fails.
   */
  finish(returned: Returned): Promise<OpenIdIdentity>
}

/** Path of the application's screen to which the provider sends the browser back. */
export const returnPath = '/app/sign-on'

/** A provider that is asked for its metadata when somebody signs in. */
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
  // The client takes issuers of other tenants at some providers.
  if (claims?.iss !== issuer) throw new InvalidToken('The provider sent no identity of its own')
  const asks = !isWhole(claims, settings) && userinfo !== undefined
  const more = asks ? await client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(fails(outageOf)) : {}
  return readIdentity(claims, more, settings)
}

/** Visits of the provider under way at once, of all and of one address. */
const mostVisits = 20
const mostVisitsOfAddress = 4

/** Does work in one of the places there are; rejects with 503 where none is free. */
function createPlaces(): <T>(address: string, work: () => Promise<T>) => Promise<T> {
  const taken: string[] = []
  return async (address, work) => {
    const own = taken.filter(other => other === address).length
    if (taken.length >= mostVisits || own >= mostVisitsOfAddress) throw unavailable('Too many sign in at once', 2)
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

/** Names of roles as they are, for providers whose claim holds them. */
export const rolesByName: RoleOfClaim = new Map<string, Role>(roles.map(role => [role, role]))
