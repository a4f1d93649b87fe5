import { type Role, roles as userRoles } from '../../schema/roles.ts'
import { readInt, readList, readOptional, readOptionalUrl, readText, type Settings } from './setting.ts'

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
  TAKT_OAUTH_JWKS_URL: {
    default: '',
    meaning:
      'Address of the public keys of an OAuth provider, whose access tokens are accepted in place of API keys; empty: none.',
    parse: readOptionalUrl,
  },
  TAKT_OAUTH_ISSUER: { default: '', meaning: 'Issuer of these tokens.', parse: readText },
  TAKT_OAUTH_AUDIENCE: { default: '', meaning: 'Audience of these tokens.', parse: readText },
  TAKT_OAUTH_COMPANY_CLAIM: {
    default: 'company',
    meaning: 'Claim of these tokens that contains the id of the company.',
    parse: readText,
  },
  TAKT_OAUTH_SCOPES_CLAIM: {
    default: 'scope',
    meaning: 'Claim of these tokens that contains the scopes: a string separated by spaces, or an array.',
    parse: readText,
  },
  TAKT_OAUTH_LEEWAY_SECONDS: {
    default: '60',
    meaning:
      'Tolerated difference between the clocks of Takt and of a provider, for `exp`, `nbf` and `iat` of access tokens and of ID tokens.',
    parse: readInt(0, 600),
  },
  TAKT_PUBLIC_URL: {
    default: '',
    meaning: 'Address of Takt for browsers, such as `https://takt.example`; required by `TAKT_OIDC_ISSUER`.',
    parse: parseOrigin,
  },
  TAKT_OIDC_ISSUER: {
    default: '',
    meaning: 'Issuer of an OpenID Connect provider for sign-in: https, or http only on this computer; empty: none.',
    parse: parseIssuer,
  },
  TAKT_OIDC_CLIENT_ID: { default: '', meaning: 'Client id of Takt at the provider.', parse: readText },
  TAKT_OIDC_CLIENT_SECRET: {
    default: '',
    meaning: 'Client secret; empty: a public client with only PKCE.',
    parse: readText,
  },
  TAKT_OIDC_CLIENT_SECRET_FILE: {
    default: '',
    meaning: 'File that contains the client secret, as an alternative.',
    parse: readOptional,
  },
  TAKT_OIDC_NAME: {
    default: 'single sign-on',
    meaning: 'Name of the provider on the sign-in button.',
    parse: readText,
  },
  TAKT_OIDC_SCOPES: {
    default: 'openid email profile',
    meaning: 'Scopes of the OpenID Connect request; they are not scopes of Takt.',
    parse: readText,
  },
  TAKT_OIDC_ROLE_CLAIM: {
    default: 'takt_role',
    meaning:
      'Claim that contains the role, a string or an array: a name, or a path such as `realm_access.roles`; of several roles, the highest applies.',
    parse: readText,
  },
  TAKT_OIDC_ROLES: {
    default: '',
    meaning:
      'Roles by values of that claim: `value=role`, separated by commas, such as `takt-admins=it_admin`; a value may contain `=`, but no comma. Empty: the values are the names of roles.',
    parse: parseClaimRoles,
  },
  TAKT_OIDC_COMPANY_CLAIM: {
    default: '',
    meaning:
      'Claim that contains the id of the company; empty: all users belong to the only company. Required for several companies.',
    parse: readOptional,
  },
} as const satisfies Settings
