import * as client from 'openid-client'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { hourMs } from '../../shared/time/units.ts'
import { InvalidToken } from './authenticate.ts'
import { boundedFetch, ProviderUnavailable } from './bounded-fetch.ts'
import { type OpenIdIdentity, readIdentity, type RoleOfClaim } from './openid-claims.ts'

/** The OpenID Connect provider at which users may sign in. */
export interface OpenIdSettings {
  readonly issuer: string
  readonly clientId: string
  /** null: a public client, which has PKCE alone. */
  readonly clientSecret: string | null
  /** Name of the provider for people. */
  readonly name: string
  readonly scopes: string
  readonly roleClaim: string
  /** Roles by values of the claim; empty: the values are the names of roles. */
  readonly roles: RoleOfClaim
  /** Claim that holds the id of the company; null: the first company. */
  readonly companyClaim: string | null
}

/** Signs users in at a provider: authorization code with PKCE, state and nonce. */
export interface OpenId {
  readonly name: string
  /** Where the browser goes, and what it must bring back (for its cookie alone). Rejects with 503 where the provider is away. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly flow: string }>
  /**
   * Who came back to `redirectUri` with this query. Rejects with an `InvalidToken` where it is nobody whom this browser sent, or whom
   * the provider does not vouch for; with 503 where the provider is away.
   */
  finish(redirectUri: string, query: string, flow: string): Promise<OpenIdIdentity>
}

/** Metadata of the provider count for so long. */
const discoveryLifetimeMs = hourMs
/** Visits of the provider under way at once. */
const mostVisits = 20

/** A provider that is asked for its metadata when somebody signs in. */
export function createOpenId(settings: OpenIdSettings, clock: () => number): OpenId {
  const discovered = createDiscovery(settings, clock)
  let visits = 0
  const visit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (visits >= mostVisits) throw unavailable('Too many sign in at once', 2)
    visits++
    try {
      return await work()
    } catch (error) {
      throw verdictOf(error)
    } finally {
      visits--
    }
  }
  return {
    name: settings.name,
    begin: redirectUri =>
      visit(async () => {
        const config = await discovered()
        const flow = newFlow()
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, flow: Object.values(flow).join('.') }
      }),
    finish: (redirectUri, query, given) =>
      visit(async () => {
        const flow = readFlow(given)
        const config = await discovered()
        const address = new URL(redirectUri)
        address.search = query
        const tokens = await client.authorizationCodeGrant(config, address, {
          pkceCodeVerifier: flow.verifier,
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) throw new InvalidToken('The provider sent no identity')
        const isWhole = claims['email'] !== undefined && claims[settings.roleClaim] !== undefined
        const asks = !isWhole && config.serverMetadata().userinfo_endpoint !== undefined
        const more = asks ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : {}
        return readIdentity({ ...more, ...claims }, settings)
      }),
  }
}

/** The provider's metadata, asked for once an hour and after a failure. */
function createDiscovery(settings: OpenIdSettings, clock: () => number): () => Promise<client.Configuration> {
  let known: { readonly config: Promise<client.Configuration>; readonly untilMs: number } | null = null
  return () => {
    if (known && clock() < known.untilMs) return known.config
    const config = discover(settings)
    const own = { config, untilMs: clock() + discoveryLifetimeMs }
    known = own
    config.catch(() => {
      if (known === own) known = null
    })
    return config
  }
}

function discover({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<client.Configuration> {
  const server = new URL(issuer)
  return client.discovery(server, clientId, {}, authenticationOf(clientSecret), {
    [client.customFetch]: (url, { body, signal, ...rest }) =>
      boundedFetch(url, { ...rest, ...(body != null && { body }), ...(signal && { signal }) }),
    execute: [
      client.enableNonRepudiationChecks,
      // The settings take http for this computer alone.
      ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** The secret goes as the provider takes it: in the header, as is usual, else in the body. */
function authenticationOf(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

/** Values that only this browser has until it comes back. */
interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

function newFlow(): Flow {
  return { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
}

function readFlow(text: string): Flow {
  const [, state, nonce, verifier] = /^([\w-]{43})\.([\w-]{43})\.([\w-]{43})$/.exec(text) ?? []
  if (state === undefined || nonce === undefined || verifier === undefined)
    throw new InvalidToken('This sign-in was not begun in this browser, or more than ten minutes ago')
  return { state, nonce, verifier }
}

/** Tells what went wrong: the provider's failing, or that of who comes back. */
function verdictOf(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof InvalidToken) return error
  if (isUnavailable(error)) return unavailable('The provider of identities does not answer now', 5, error)
  const isRefusal = error instanceof client.AuthorizationResponseError
  const text = isRefusal ? 'The provider did not sign you in' : 'The provider does not confirm this sign-in'
  return new InvalidToken(text, false, error)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ProviderUnavailable || (error instanceof Error && isUnavailable(error.cause))
}

/** Names of roles as they are, for providers whose claim holds them. */
export const rolesByName: RoleOfClaim = new Map<string, Role>(roles.map(role => [role, role]))
