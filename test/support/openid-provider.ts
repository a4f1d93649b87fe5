import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'

/** An OpenID Connect provider on its own port, at which every entered name signs in. */
export interface OpenIdProvider {
  readonly issuer: string
  /** Claims of each account by its name; those of other accounts are derived from the name. */
  readonly accounts: Map<string, Readonly<Record<string, unknown>>>
  /** Registers the client `takt` with this redirect address. */
  open(redirectUri: string): Promise<void>
  /** Handlers that replace those of the provider, by path: `/token`, `/jwks`, `/me`. */
  readonly instead: Map<string, RequestListener>
  /** Signs an ID token with the provider's key. */
  sign(claims: JWTPayload): Promise<string>
  /** Signs in as a browser does; resolves with the query with which the provider redirects back. */
  pass(url: string, account: string): Promise<string>
  close(): void
}

export const openIdSecret = 'a secret of the client, long enough'

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const accounts: OpenIdProvider['accounts'] = new Map()
  const instead: OpenIdProvider['instead'] = new Map()
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  let handle: ReturnType<Provider['callback']> | null = null
  const server = createServer((request, response) => {
    const other = instead.get(new URL(request.url ?? '', 'http://provider').pathname)
    if (other) other(request, response)
    else if (handle) handle(request, response).catch(() => response.destroy())
    else response.writeHead(503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    accounts,
    instead,
    sign: claims => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey),
    pass: (url, account) => passForms(issuer, url, account),
    async open(redirectUri) {
      const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'ES256', use: 'sig' }
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: 'takt',
            client_secret: openIdSecret,
            redirect_uris: [redirectUri],
            id_token_signed_response_alg: 'ES256',
          },
          {
            client_id: 'takt-public',
            token_endpoint_auth_method: 'none',
            redirect_uris: [redirectUri],
            id_token_signed_response_alg: 'ES256',
          },
        ],
        jwks: { keys: [jwk] },
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
        cookies: { keys: ['a key of the cookies of the provider'] },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'takt_role', 'groups', 'plant'],
        },
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

/** Follows the provider's redirects and sends its two forms, until it redirects to another host. */
async function passForms(issuer: string, start: string, account: string): Promise<string> {
  const jar = new Map<string, string>()
  let [url, form]: [string, URLSearchParams | null] = [start, null]
  for (let step = 0; step < 20; step++) {
    const cookie = [...jar].map(pair => pair.join('=')).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      jar.set(name, value)
    }
    const html = await response.text()
    const location = response.headers.get('location')
    if (location !== null) {
      const next = new URL(location, url)
      if (next.origin !== issuer) return next.search.slice(1)
      ;[url, form] = [next.href, null]
      continue
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1]
    const action = /action="([^"]+)"/.exec(html)?.[1]
    if (prompt === undefined || action === undefined) throw new Error(`No form: HTTP ${response.status} ${html}`)
    ;[url, form] = [new URL(action, url).href, new URLSearchParams({ prompt, login: account, password: 'any' })]
  }
  throw new Error('The provider leads round in circles')
}
