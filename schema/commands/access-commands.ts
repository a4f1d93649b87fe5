import { languages } from '../languages.ts'
import { signOnSettings } from '../records/company.ts'
import { key, scopesInput } from '../records/key.ts'
import { role } from '../records/role.ts'
import { providerIdentity, user } from '../records/user.ts'
import * as t from '../types.ts'
import { command, idOnly } from './contract.ts'

/** Fields of a user with a password. */
export const newUser = { email: t.email, displayName: t.name, passwordHash: t.shortText }

/** Commands on keys, users and sessions. */
export const accessCommands = {
  'sign-on.put': command(signOnSettings, signOnSettings),
  'key.create': command(t.object({ name: t.name, scopes: scopesInput, hash: t.sha256 }), key),
  'key.patch': command(
    t.object({ id: t.id, ...t.nullableProperties({ name: t.name, scopes: scopesInput, disabled: t.bool }) }, [
      'name',
      'scopes',
      'disabled',
    ]),
    key,
  ),
  'key.delete': command(idOnly, t.nullSchema),
  'token-secret.make': command(t.object({}), t.nullSchema),
  'token-secret.rotate': command(t.object({}), t.nullSchema),
  /** `isFirst`: the command is rejected if the company has users. `language`: of the names of default records. */
  'user.create': command(
    t.object({ ...newUser, role, isFirst: t.bool, language: t.oneOf(languages) }, ['isFirst', 'language']),
    user,
  ),
  /** `keepSession`: session in which the password is changed; other sessions of the user end. */
  'user.patch': command(
    t.object({ id: t.id, ...newUser, role, disabled: t.bool, keepSession: t.nullable(t.sha256) }, [
      'email',
      'displayName',
      'passwordHash',
      'role',
      'disabled',
      'keepSession',
    ]),
    user,
  ),
  'user.delete': command(idOnly, t.nullSchema),
  /**
   * Sign-in by the identity provider. `role`: the provider's role; null: none sent. Returns null if the provider has
   * removed the role and the company has no default role.
   */
  'user.identify': command(
    t.object({
      ...providerIdentity.properties,
      email: t.nullable(t.email),
      displayName: t.name,
      role: t.nullable(role),
    }),
    t.nullable(user),
  ),
  /** `keepSession`: session in which users unlink their identity; their other sessions end. */
  'user.link': command(
    t.object({ id: t.id, identity: t.nullable(providerIdentity), keepSession: t.nullable(t.sha256) }, ['keepSession']),
    user,
  ),
  /**
   * `id`: hash of the session token. `passwordHash`, `identity`: credentials of the user when the caller verified them;
   * the command is rejected if they have changed. `idleSince`: sessions last used before this time are ended.
   */
  'session.start': command(
    t.object(
      {
        id: t.sha256,
        userId: t.id,
        passwordHash: t.shortText,
        identity: t.nullable(providerIdentity),
        expiresAt: t.instant,
        idleSince: t.instant,
      },
      ['identity'],
    ),
    t.nullSchema,
  ),
  'session.touch': command(t.object({ id: t.sha256 }), t.nullSchema),
  'session.end': command(t.object({ id: t.sha256 }), t.nullSchema),
} as const
