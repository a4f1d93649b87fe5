import { languages } from '../languages.ts'
import { signOnSettings } from '../records/company.ts'
import { key, scopesInput } from '../records/key.ts'
import { role } from '../records/role.ts'
import { providerIdentity, user } from '../records/user.ts'
import {
  bool,
  email,
  id,
  instant,
  name,
  nullable,
  nullableProperties,
  nullSchema,
  object,
  oneOf,
  sha256,
  shortText,
} from '../types.ts'
import { command, idOnly } from './contract.ts'

/** Fields of a user with a password. */
export const newUser = { email, displayName: name, passwordHash: shortText }

/** Commands on keys, users and sessions. */
export const accessCommands = {
  'sign-on.put': command(signOnSettings, signOnSettings),
  'key.create': command(object({ name, scopes: scopesInput, hash: sha256 }), key),
  'key.patch': command(
    object({ id, ...nullableProperties({ name, scopes: scopesInput, disabled: bool }) }, [
      'name',
      'scopes',
      'disabled',
    ]),
    key,
  ),
  'key.delete': command(idOnly, nullSchema),
  'token-secret.make': command(object({}), nullSchema),
  'token-secret.rotate': command(object({}), nullSchema),
  /** `isFirst`: the command is rejected if the company has users. `language`: of the names of default records. */
  'user.create': command(
    object({ ...newUser, role, isFirst: bool, language: oneOf(languages) }, ['isFirst', 'language']),
    user,
  ),
  /** `keepSession`: session in which the password is changed; other sessions of the user end. */
  'user.patch': command(
    object({ id, ...newUser, role, disabled: bool, keepSession: nullable(sha256) }, [
      'email',
      'displayName',
      'passwordHash',
      'role',
      'disabled',
      'keepSession',
    ]),
    user,
  ),
  'user.delete': command(idOnly, nullSchema),
  /**
   * Sign-in by the identity provider. `role`: the provider's role; null: none sent. Returns null if the provider has
   * removed the role and the company has no default role.
   */
  'user.identify': command(
    object({ ...providerIdentity.properties, email: nullable(email), displayName: name, role: nullable(role) }),
    nullable(user),
  ),
  /** `keepSession`: session in which users unlink their identity; their other sessions end. */
  'user.link': command(
    object({ id, identity: nullable(providerIdentity), keepSession: nullable(sha256) }, ['keepSession']),
    user,
  ),
  /**
   * `id`: hash of the session token. `passwordHash`, `identity`: credentials of the user when the caller verified them;
   * the command is rejected if they have changed. `idleSince`: sessions last used before this time are ended.
   */
  'session.start': command(
    object(
      {
        id: sha256,
        userId: id,
        passwordHash: shortText,
        identity: nullable(providerIdentity),
        expiresAt: instant,
        idleSince: instant,
      },
      ['identity'],
    ),
    nullSchema,
  ),
  'session.touch': command(object({ id: sha256 }), nullSchema),
  'session.end': command(object({ id: sha256 }), nullSchema),
} as const
