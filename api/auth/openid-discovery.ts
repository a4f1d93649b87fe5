import * as client from 'openid-client'
import { hourMs } from '../../shared/time/units.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** The client that Takt is at a provider. */
export interface OpenIdClient {
  readonly issuer: string
  readonly clientId: string
  /** null: a public client, which has PKCE alone. */
  readonly clientSecret: string | null
  /** Tolerated difference between the clocks of the provider and of this service, in seconds. */
  readonly leewayS: number
}

/** Metadata of the provider count for so long. */
const lifetimeMs = hourMs
/** A provider that has failed to tell them is left alone for so long. */
const restMs = 5_000

/**
 * The provider's metadata, asked for once an hour. Where the provider fails to tell them, those told before count on; where there are
 * none, callers get the failure until the provider is asked again.
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
        // The settings take http for this computer alone.
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  mindOneIssuer(config.serverMetadata().issuer)
  return config
}

/** Throws where an issuer stands for those of many tenants (`{tenantid}`): their users would all be let in. */
function mindOneIssuer(issuer: string): void {
  if (/[{}]|%7B/i.test(issuer)) throw new Error('The issuer that the provider tells stands for many tenants')
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
