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
/** Values of a claim that are looked at: members of groups have hundreds. */
const maxValues = 2000

const isEmail = checkerOf(object({ email }))
const isName = checkerOf(object({ name }))

/** Reads who it is. Throws an `InvalidToken` where the claims do not tell. */
export function readIdentity(claims: Claims, { roleClaim, roles: known, companyClaim }: ClaimSettings): OpenIdIdentity {
  const { iss: issuer, sub: subject } = claims
  if (typeof issuer !== 'string' || issuer.length > maxIssuerChars) throw unusable('issuer')
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectChars) throw unusable('subject')
  const companyId = companyClaim === null ? null : claimOf(claims, companyClaim)
  if (companyClaim !== null && typeof companyId !== 'string') throw unusable(companyClaim)
  const address = typeof claims['email'] === 'string' ? claims['email'] : ''
  return {
    issuer,
    subject,
    email: 'value' in isEmail({ email: address }) ? address : null,
    displayName: nameOf(claims, address) ?? 'User',
    role: roleOf(claimOf(claims, roleClaim), known),
    companyId: typeof companyId === 'string' ? companyId : null,
  }
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
  const values: readonly unknown[] = Array.isArray(claim) ? claim.slice(0, maxValues) : [claim]
  const named = new Set(values.flatMap(value => (typeof value === 'string' ? (known.get(value) ?? []) : [])))
  return roles.find(role => named.has(role)) ?? null
}

function nameOf(claims: Claims, address: string): string | null {
  const names = ['name', 'preferred_username', 'nickname'].map(claim => claims[claim])
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
