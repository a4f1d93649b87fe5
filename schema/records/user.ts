import {
  bool,
  email,
  extended,
  instant,
  name,
  named,
  nullable,
  object,
  type Of,
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
export type ProviderIdentity = Of<typeof providerIdentity>

/** Stands in place of the hash of a password for users who have none: they sign in at the provider alone. */
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
    /** With its salt and the parameters that it was made with. */
    passwordHash: text,
    createdAt: instant,
    /** null: may sign in. */
    disabledAt: nullable(instant),
    /** null or missing: signs in with a password alone. */
    identity: nullable(providerIdentity),
    /** The provider gave the role, and may take it away. Missing: no. */
    hasProviderRole: bool,
  },
  ['identity', 'hasProviderRole'],
)
export type UserRecord = Of<typeof user>

/** Response for a user. */
export const userAnswer = named(
  'User',
  extended(without(user, 'companyId', 'passwordHash', 'identity', 'hasProviderRole'), {
    identity: nullable(providerIdentity),
    hasPassword: bool,
  }),
)
export type UserAnswer = Of<typeof userAnswer>
