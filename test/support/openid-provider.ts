import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

/** An OpenID Connect provider on a port of its own, at which anybody signs in under the name that is typed. */
export interface OpenIdProvider {
  readonly issuer: string
  /** Claims of each account by its name; those of others are made of the name. */
  readonly accounts: Map<string, Readonly<Record<string, unknown>>>
  /** Takes the client `takt`, which browsers leave for this address. */
  open(redirectUri: string): Promise<void>
  close(): void
}

export const openIdSecret = 'a secret of the client, long enough'

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const accounts: OpenIdProvider['accounts'] = new Map()
  let handle: ReturnType<Provider['callback']> | null = null
  const server = createServer((request, response) => {
    if (handle) handle(request, response).catch(() => response.destroy())
    else response.writeHead(503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    accounts,
    async open(redirectUri) {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'ES256', use: 'sig' }
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: 'takt',
            client_secret: openIdSecret,
            redirect_uris: [redirectUri],
            id_token_signed_response_alg: 'ES256',
          },
        ],
        jwks: { keys: [jwk] },
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
        cookies: { keys: ['a key of the cookies of the provider'] },
        claims: { openid: ['sub'], email: ['email'], profile: ['name', 'takt_role'] },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: () => ({ sub: id, email: `${id}@id.example`, name: id, ...accounts.get(id) }),
        }),
      })
      handle = provider.callback()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
