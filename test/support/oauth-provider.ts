import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import type { OAuthSettings } from '../../api/auth/oauth.ts'

/** A provider of access tokens on its own port, with one key. */
export interface OAuthProvider {
  /** The settings of a service that uses the provider. */
  readonly settings: OAuthSettings
  /** An access token of the subject `ada`, unless the claims name another. */
  sign(claims: JWTPayload, changes?: SignChanges): Promise<string>
  close(): void
}

interface SignChanges {
  readonly issuer?: string
  readonly audience?: string
  /** In the form of jose: `1h`, or seconds since 1970. */
  readonly expires?: string | number
}

export async function startOAuthProvider(): Promise<OAuthProvider> {
  const issuer = 'https://id.example'
  const audience = 'takt'
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      jwksUrl: `http://127.0.0.1:${port}/keys`,
      issuer,
      audience,
      companyClaim: 'company',
      scopesClaim: 'scope',
      leewayS: 60,
    },
    sign: (claims, { issuer: by = issuer, audience: to = audience, expires = '1h' } = {}) =>
      new SignJWT({ sub: 'ada', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(by)
        .setAudience(to)
        .setExpirationTime(expires)
        .sign(privateKey),
    close: () => void server.close(),
  }
}
