import * as client from 'openid-client'
import { hourMs } from '../../shared/time/units.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** Takt's registration as a client of a provider. */
export interface OpenIdClient {
  readonly issuer: string
  readonly clientId: string
  /** null: a public client, with PKCE only. */
  readonly clientSecret: string | null
  /** Tolerated difference between the clocks of the provider and of this service, in seconds. */
  readonly leewayS: number
}

const lifetimeMs = hourMs
const retryAfterMs = 5_000

/** Returns the provider's metadata, cached for an hour; after a failure, the previous ones. */
export function createDiscovery(of: OpenIdClient, clock: () => number): () => Promise<client.Configuration> {
  let known: client.Configuration | null = null
  let failure: unknown = null
  let nextRefreshMs = 0
  let pending: Promise<void> | null = null
  const refresh = async () => {
    try {
      known = await discover(of)
      nextRefreshMs = clock() + lifetimeMs
    } catch (error) {
      failure = error
      nextRefreshMs = clock() + retryAfterMs
    } finally {
      pending = null
    }
  }
  return async () => {
    if (clock() >= nextRefreshMs) pending ??= refresh()
    if (pending) await pending
    if (known) return known
    throw failure
  }
}

async function discover({ issuer, clientId, clientSecret, leewayS }: OpenIdClient): Promise<client.Configuration> {
  const server = new URL(issuer)
  const config = await client.discovery(
    server,
    clientId,
    { [client.clockTolerance]: leewayS },
    authenticationOf(clientSecret),
    {
      [client.customFetch]: (url, { body, signal, ...rest }) =>
        boundedFetch(url, { ...rest, ...(body != null && { body }), ...(signal && { signal }) }),
      execute: [
        client.enableNonRepudiationChecks,
        // The settings allow http for localhost only.
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  assertSingleIssuer(config.serverMetadata().issuer)
  return config
}

/** Throws if the issuer is a template for many tenants (`{tenantid}`), because users of all tenants could sign in. */
function assertSingleIssuer(issuer: string): void {
  if (/[{}]|%7B/i.test(issuer)) throw new Error('The issuer of the provider is a template for many tenants')
}

/** Sends the secret in the header, the default of OpenID, if the provider supports it; otherwise in the body. */
function authenticationOf(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
