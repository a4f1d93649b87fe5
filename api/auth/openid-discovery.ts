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

/** Lifetime of the cached metadata of the provider. */
const lifetimeMs = hourMs
/** Delay after a failed request for metadata. */
const restMs = 5_000

/**
 * Returns the provider's metadata, cached for an hour. If the provider fails, the previous metadata remain in use;
 * without any, callers receive the failure until the next request.
 */
export function createDiscovery(of: OpenIdClient, clock: () => number): () => Promise<client.Configuration> {
  let known: client.Configuration | null = null
  let failure: unknown = null
  let nextAskMs = 0
  let asking: Promise<void> | null = null
  const ask = async () => {
    try {
      known = await discover(of)
      nextAskMs = clock() + lifetimeMs
    } catch (error) {
      failure = error
      nextAskMs = clock() + restMs
    } finally {
      asking = null
    }
  }
  return async () => {
    if (clock() >= nextAskMs) asking ??= ask()
    if (asking) await asking
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

/**
 * Sends the secret in the header, which is the default of OpenID, if the provider supports it; otherwise in the body.
 */
function authenticationOf(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
