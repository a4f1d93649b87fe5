import { type Role, roles as userRoles } from '../../schema/roles.ts'
import { readInt, readList, readOptional, readOptionalUrl, readText, type Settings } from './setting.ts'

function issuer(text: string): string | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isHere) throw new Error('expected an address that begins with https://')
  if (/^\/(common|organizations|consumers)(\/|$)/i.test(url.pathname) && url.hostname === 'login.microsoftonline.com')
    throw new Error('expected the issuer of one tenant: this one lets in the users of every tenant')
  return text
}

/** An address of the whole service: without a path, as its cookies and pages belong to the host. */
function origin(text: string): string | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isWeb = url !== null && ['https:', 'http:'].includes(url.protocol)
  if (isWeb && [url.origin, `${url.origin}/`].includes(url.href)) return url.origin
  throw new Error('expected an address such as https://takt.example, without a path')
}

/** `value=role` pairs; a value may hold `=`, but no comma. */
function rolesOfClaim(text: string): ReadonlyMap<string, Role> {
  const pairs = readList(text).map((pair): [string, Role] => {
    const at = pair.lastIndexOf('=')
    const role = userRoles.find(known => known === pair.slice(at + 1).trim())
    if (at < 1 || !role) throw new Error(`expected value=role pairs, the roles being ${userRoles.join(', ')}`)
    return [pair.slice(0, at).trim(), role]
  })
  return new Map(pairs)
}

/** Settings of providers of tokens (OAuth) and of sign-in (OpenID Connect). */
export const providerSettings = {
  TAKT_OAUTH_JWKS_URL: {
    default: '',
    meaning:
      'Where the public keys of an OAuth provider are, whose access tokens are then taken wherever a key is; empty: none.',
    parse: readOptionalUrl,
  },
  TAKT_OAUTH_ISSUER: { default: '', meaning: 'Issuer of those tokens.', parse: readText },
  TAKT_OAUTH_AUDIENCE: { default: '', meaning: 'Audience of those tokens.', parse: readText },
  TAKT_OAUTH_COMPANY_CLAIM: {
    default: 'company',
    meaning: 'Claim of those tokens that holds the id of the company.',
    parse: readText,
  },
  TAKT_OAUTH_SCOPES_CLAIM: {
    default: 'scope',
    meaning: 'Claim of those tokens that holds the scopes: a text with spaces, or a list.',
    parse: readText,
  },
  TAKT_OAUTH_LEEWAY_SECONDS: {
    default: '60',
    meaning:
      'Tolerated difference between the clocks of Takt and of a provider, for `exp`, `nbf` and `iat` of access tokens and of ID tokens at sign-in.',
    parse: readInt(0, 600),
  },
  TAKT_PUBLIC_URL: {
    default: '',
    meaning: 'Address at which browsers reach Takt, such as `https://takt.example`; `TAKT_OIDC_ISSUER` needs it.',
    parse: origin,
  },
  TAKT_OIDC_ISSUER: {
    default: '',
    meaning:
      'Issuer of an OpenID Connect provider at which users may sign in, https, or http on this computer alone; empty: none.',
    parse: issuer,
  },
  TAKT_OIDC_CLIENT_ID: { default: '', meaning: 'Client that the provider knows Takt as.', parse: readText },
  TAKT_OIDC_CLIENT_SECRET: {
    default: '',
    meaning: 'Secret of that client; empty: a public client, with PKCE alone.',
    parse: readText,
  },
  TAKT_OIDC_CLIENT_SECRET_FILE: {
    default: '',
    meaning: 'File that holds the secret, in its place.',
    parse: readOptional,
  },
  TAKT_OIDC_NAME: {
    default: 'single sign-on',
    meaning: 'Name of the provider on the button to sign in there.',
    parse: readText,
  },
  TAKT_OIDC_SCOPES: {
    default: 'openid email profile',
    meaning: 'Scopes that the provider is asked for: those of OpenID Connect, not those of Takt.',
    parse: readText,
  },
  TAKT_OIDC_ROLE_CLAIM: {
    default: 'takt_role',
    meaning:
      'Claim that holds the role: a text or a list, by its name or a path such as `realm_access.roles`; the highest role of several counts.',
    parse: readText,
  },
  TAKT_OIDC_ROLES: {
    default: '',
    meaning:
      'Roles by values of that claim: `value=role`, separated by commas, such as `takt-admins=it_admin`; a value may hold `=`, but no comma. Empty: the values are the names of roles.',
    parse: rolesOfClaim,
  },
  TAKT_OIDC_COMPANY_CLAIM: {
    default: '',
    meaning: 'Claim that holds the id of the company; empty: all are of the only company. Several companies need it.',
    parse: readOptional,
  },
} as const satisfies Settings
