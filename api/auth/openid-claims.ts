import { checkerOf } from '../../schema/check.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { email, name, object } from '../../schema/types.ts'
import { InvalidToken } from './authenticate.ts'

/** Someone whom the provider vouches for, as the claims tell. */
export interface OpenIdIdentity {
  readonly issuer: string
  readonly subject: string
  /** null: the provider tells none that can be one. */
  readonly email: string | null
  readonly displayName: string
  /** The highest role that the claim names; null: it names none. */
  readonly role: Role | null
  /** Id of the company; null: the claims are not asked for it. */
  readonly companyId: string | null
}

export type RoleOfClaim = ReadonlyMap<string, Role>

interface ClaimSettings {
  readonly roleClaim: string
  readonly roles: RoleOfClaim
  readonly companyClaim: string | null
}

export type Claims = Readonly<Record<string, unknown>>

/** OpenID Connect allows no longer ones. */
const maxSubjectChars = 255
const maxIssuerChars = 2000

const isEmail = checkerOf(object({ email }))
const isName = checkerOf(object({ name }))

/** Whether claims tell all that is read but names. */
export function isWhole(claims: Claims, { roleClaim, companyClaim }: ClaimSettings): boolean {
  const asked = ['email', roleClaim, ...(companyClaim === null ? [] : [companyClaim])]
  return asked.every(claim => claimOf(claims, claim) !== undefined)
}

/**
 * Reads who it is by the claims of the ID token, and where it leaves one out by those of the userinfo endpoint (`more`). Throws an
 * `InvalidToken` where they do not tell.
 */
export function readIdentity(
  claims: Claims,
  more: Claims,
  { roleClaim, roles: known, companyClaim }: ClaimSettings,
): OpenIdIdentity {
  const { iss: issuer, sub: subject } = claims
  const told = (claim: string) => claimOf(claims, claim) ?? claimOf(more, claim)
  if (typeof issuer !== 'string' || issuer.length > maxIssuerChars) throw unusable('issuer')
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectChars) throw unusable('subject')
  const companyId = companyClaim === null ? null : told(companyClaim)
  if (companyClaim !== null && typeof companyId !== 'string') throw unusable(companyClaim)
  const address = emailOf(told('email'), [claims, more])
  return {
    issuer,
    subject,
    email: 'value' in isEmail({ email: address }) ? address : null,
    displayName: nameOf(told, address) ?? 'User',
    role: roleOf(told(roleClaim), known),
    companyId: typeof companyId === 'string' ? companyId : null,
  }
}

/** Returns the address; empty if it may be of another person, as the provider has not confirmed it. A provider without the claim confirms all. */
function emailOf(email: unknown, sources: readonly Claims[]): string {
  const isUnconfirmed = sources.some(
    ({ email_verified: verified }) => verified !== undefined && verified !== true && verified !== 'true',
  )
  return typeof email === 'string' && !isUnconfirmed ? email : ''
}

/** A claim by its name, or by a path such as `realm_access.roles`. */
function claimOf(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function roleOf(claim: unknown, known: RoleOfClaim): Role | null {
  // The provider's answers are bounded in bytes.
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  const named = new Set(values.flatMap(value => (typeof value === 'string' ? (known.get(value) ?? []) : [])))
  return roles.find(role => named.has(role)) ?? null
}

function nameOf(told: (claim: string) => unknown, address: string): string | null {
  const names = ['name', 'preferred_username', 'nickname'].map(told)
  return [...names, address].map(usableName).find(text => text !== null) ?? null
}

function usableName(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.trim().slice(0, 200)
  return 'value' in isName({ name: text }) ? text : null
}

function unusable(claim: string): InvalidToken {
  return new InvalidToken(`The provider tells no ${claim} that can be used`)
}
