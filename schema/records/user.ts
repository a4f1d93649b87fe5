import * as t from '../types.ts'
import { role } from './role.ts'

/** Identity at an OpenID Connect provider: a subject is unique within its issuer. */
export const providerIdentity = t.named(
  'Identity',
  t.object({ issuer: { ...t.text, maxLength: 2000 }, subject: { ...t.text, maxLength: 255 } }),
)
export type ProviderIdentity = t.Infer<typeof providerIdentity>

/** Replaces the password hash of users without a password, who sign in only at the OpenID Connect provider. */
export const noPassword = 'none'

/** A user, who signs in with a password or at the OpenID Connect provider. */
export const user = t.object(
  {
    id: t.uuid,
    companyId: t.text,
    /** In lower case, unique in the company. */
    email: t.email,
    displayName: t.name,
    role,
    /** Password hash with its salt and parameters. */
    passwordHash: t.text,
    createdAt: t.instant,
    /** null: the user may sign in. */
    disabledAt: t.nullable(t.instant),
    /** null or missing: the user signs in only with a password. */
    identity: t.nullable(providerIdentity),
    /** Whether the OpenID Connect provider assigned the role, and can therefore remove it. Missing: false. */
    hasProviderRole: t.bool,
  },
  ['identity', 'hasProviderRole'],
)
export type UserRecord = t.Infer<typeof user>

/** Response for a user. */
export const userResponse = t.named(
  'User',
  t.extendObject(t.without(user, 'companyId', 'passwordHash', 'identity', 'hasProviderRole'), {
    identity: t.nullable(providerIdentity),
    hasPassword: t.bool,
  }),
)
export type UserResponse = t.Infer<typeof userResponse>
