import {
  bool,
  email,
  extendObject,
  instant,
  name,
  named,
  nullable,
  object,
  type Infer,
  text,
  uuid,
  without,
} from '../types.ts'
import { role } from './role.ts'

/** Identity at an OpenID Connect provider: a subject is unique within its issuer. */
export const providerIdentity = named(
  'Identity',
  object({ issuer: { ...text, maxLength: 2000 }, subject: { ...text, maxLength: 255 } }),
)
export type ProviderIdentity = Infer<typeof providerIdentity>

/** Replaces the password hash of users without a password, who sign in only at the OpenID Connect provider. */
export const noPassword = 'none'

/** A user, who signs in with a password or at the OpenID Connect provider. */
export const user = object(
  {
    id: uuid,
    companyId: text,
    /** In lower case, unique in the company. */
    email,
    displayName: name,
    role,
    /** Password hash with its salt and parameters. */
    passwordHash: text,
    createdAt: instant,
    /** null: the user may sign in. */
    disabledAt: nullable(instant),
    /** null or missing: the user signs in only with a password. */
    identity: nullable(providerIdentity),
    /** Whether the OpenID Connect provider assigned the role, and can therefore remove it. Missing: false. */
    hasProviderRole: bool,
  },
  ['identity', 'hasProviderRole'],
)
export type UserRecord = Infer<typeof user>

/** Response for a user. */
export const userResponse = named(
  'User',
  extendObject(without(user, 'companyId', 'passwordHash', 'identity', 'hasProviderRole'), {
    identity: nullable(providerIdentity),
    hasPassword: bool,
  }),
)
export type UserResponse = Infer<typeof userResponse>
