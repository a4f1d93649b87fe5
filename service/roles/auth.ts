import { type Access, accessByRecords, readTokenSecret, withTokenSecret } from '../../api/auth/access.ts'
import { createKeyUses } from '../../api/auth/key-uses.ts'
import { createOAuthCheck, type OAuthCheck } from '../../api/auth/oauth.ts'
import { createOpenId, type OpenId, rolesByName } from '../../api/auth/openid.ts'
import { sharedAccess } from '../../api/auth/shared-access.ts'
import { createThrottle, guessWindowMs } from '../../api/auth/throttle.ts'
import type { ApiSettings } from '../../api/ports/settings.ts'
import { readCredentials } from '../../clickhouse/projections/credentials.ts'
import { readKeyUses, writeKeyUses } from '../../clickhouse/projections/key-uses.ts'
import type { Config } from '../config.ts'
import { readSecret } from '../secret-files.ts'
import type { ServiceContext } from '../context.ts'
import type { Teardown } from '../teardown.ts'

/** Starts the authentication and authorization that routes, live channels and GraphQL share. */
export async function startAuth(context: ServiceContext, settings: ApiSettings, teardown: Teardown) {
  const { config, store, records, clock, logger } = context
  const secretFile = config.TAKT_TOKEN_SECRET_FILE
  const recordAccess = accessOf(context)
  const access = secretFile === null ? recordAccess : withTokenSecret(recordAccess, await readTokenSecret(secretFile))
  const keyUses = createKeyUses({
    write: usedAtMs => writeKeyUses(store, usedAtMs),
    read: keyIds => readKeyUses(store, keyIds),
    clock,
    onFailure: error => logger.warn({ err: error }, 'Failed to write key usage'),
  })
  teardown.add('key uses', () => keyUses.stop())
  const guesses = createThrottle({ limit: settings.guessesPerAddress, windowMs: guessWindowMs })
  const auth = { access, oauth: configureOAuth(config), guesses, records, sessionRules: settings.sessionRules, clock }
  return { auth, keyUses }
}

/**
 * Returns the checks of keys and users: a single process has all of them in its records, several processes read them
 * from the shared store.
 */
function accessOf({ log, store, records, followed }: ServiceContext): Access {
  if (log.kind === 'embedded' || store.kind === 'embedded') return accessByRecords(records)
  return sharedAccess({
    read: lookups => readCredentials(store, lookups),
    records,
    catchUp: () => followed.catchUp(),
  })
}

/** Creates the OpenID Connect client; returns null if no provider is configured. */
export async function configureOpenId(config: Config, clock: () => number): Promise<OpenId | null> {
  const { TAKT_OIDC_ISSUER: issuer, TAKT_OIDC_ROLES: roles } = config
  const { TAKT_PUBLIC_URL: publicUrl } = config
  if (issuer === null || publicUrl === null) return null
  const { TAKT_OIDC_CLIENT_SECRET: secret, TAKT_OIDC_CLIENT_SECRET_FILE: file } = config
  const clientSecret = await readSecret(secret, file, 'TAKT_OIDC_CLIENT_SECRET_FILE')
  const settings = {
    publicUrl,
    issuer,
    clientId: config.TAKT_OIDC_CLIENT_ID,
    clientSecret: clientSecret === '' ? null : clientSecret,
    name: config.TAKT_OIDC_NAME,
    scopes: config.TAKT_OIDC_SCOPES,
    roleClaim: config.TAKT_OIDC_ROLE_CLAIM,
    roles: roles.size === 0 ? rolesByName : roles,
    companyClaim: config.TAKT_OIDC_COMPANY_CLAIM,
    leewayS: config.TAKT_OAUTH_LEEWAY_SECONDS,
  }
  return createOpenId(settings, clock)
}

function configureOAuth(config: Config): OAuthCheck | null {
  const { TAKT_OAUTH_JWKS_URL: jwksUrl } = config
  if (jwksUrl === null) return null
  return createOAuthCheck({
    jwksUrl,
    issuer: config.TAKT_OAUTH_ISSUER,
    audience: config.TAKT_OAUTH_AUDIENCE,
    companyClaim: config.TAKT_OAUTH_COMPANY_CLAIM,
    scopesClaim: config.TAKT_OAUTH_SCOPES_CLAIM,
    leewayS: config.TAKT_OAUTH_LEEWAY_SECONDS,
  })
}
