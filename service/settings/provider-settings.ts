import { type Role, roles as userRoles } from '../../schema/roles.ts'
import { readList, readOptionalUrl, setting, type Settings } from './setting.ts'

function parseIssuer(text: string): string | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isHere) throw new Error('expected an address that begins with https://')
  if (/^\/(common|organizations|consumers)(\/|$)/i.test(url.pathname) && url.hostname === 'login.microsoftonline.com')
    throw new Error('expected the issuer of one tenant: this issuer accepts users of every tenant')
  return text
}

/** Parses the address of Takt for browsers, without a path, because its cookies and pages belong to the host. */
function parseOrigin(text: string): string | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isWeb = url !== null && ['https:', 'http:'].includes(url.protocol)
  if (isWeb && [url.origin, `${url.origin}/`].includes(url.href)) return url.origin
  throw new Error('expected an address such as https://takt.example, without a path')
}

/** Parses `value=role` pairs; a value may contain `=`, but no comma. */
function parseClaimRoles(text: string): ReadonlyMap<string, Role> {
  const pairs = readList(text).map((pair): [string, Role] => {
    const at = pair.lastIndexOf('=')
    const role = userRoles.find(known => known === pair.slice(at + 1).trim())
    if (at < 1 || !role) throw new Error(`expected value=role pairs; roles are ${userRoles.join(', ')}`)
    return [pair.slice(0, at).trim(), role]
  })
  return new Map(pairs)
}

/** Settings of providers of tokens (OAuth) and of sign-in (OpenID Connect). */
export const providerSettings = {
  TAKT_OAUTH_JWKS_URL: setting(
    'Address of the public keys of an OAuth provider, whose access tokens are accepted in place of API keys; empty: none.',
  ).parsed('', readOptionalUrl),
  TAKT_OAUTH_ISSUER: setting('Issuer of these tokens.').text(),
  TAKT_OAUTH_AUDIENCE: setting('Audience of these tokens.').text(),
  TAKT_OAUTH_COMPANY_CLAIM: setting('Claim of these tokens that contains the id of the company.').text('company'),
  TAKT_OAUTH_SCOPES_CLAIM: setting(
    'Claim of these tokens that contains the scopes: a string separated by spaces, or an array.',
  ).text('scope'),
  TAKT_OAUTH_LEEWAY_SECONDS: setting(
    'Tolerated difference between the clocks of Takt and of a provider, for `exp`, `nbf` and `iat` of access tokens and of ID tokens.',
  ).int(60, 0, 600),
  TAKT_PUBLIC_URL: setting(
    'Address of Takt for browsers, such as `https://takt.example`; required by `TAKT_OIDC_ISSUER`.',
  ).parsed('', parseOrigin),
  TAKT_OIDC_ISSUER: setting(
    'Issuer of an OpenID Connect provider for sign-in: https, or http only on this computer; empty: none.',
  ).parsed('', parseIssuer),
  TAKT_OIDC_CLIENT_ID: setting('Client id of Takt at the provider.').text(),
  TAKT_OIDC_CLIENT_SECRET: setting('Client secret; empty: a public client with only PKCE.').text(),
  TAKT_OIDC_CLIENT_SECRET_FILE: setting('File that contains the client secret, as an alternative.').optional(),
  TAKT_OIDC_NAME: setting('Name of the provider on the sign-in button.').text('single sign-on'),
  TAKT_OIDC_SCOPES: setting('Scopes of the OpenID Connect request; they are not scopes of Takt.').text(
    'openid email profile',
  ),
  TAKT_OIDC_ROLE_CLAIM: setting(
    'Claim that contains the role, a string or an array: a name, or a path such as `realm_access.roles`; of several roles, the highest applies.',
  ).text('takt_role'),
  TAKT_OIDC_ROLES: setting(
    'Roles by values of that claim: `value=role`, separated by commas, such as `takt-admins=it_admin`; a value may contain `=`, but no comma. Empty: the values are the names of roles.',
  ).parsed('', parseClaimRoles),
  TAKT_OIDC_COMPANY_CLAIM: setting(
    'Claim that contains the id of the company; empty: all users belong to the only company. Required for several companies.',
  ).optional(),
} satisfies Settings
