import { createChecker } from '../../schema/check.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { email, name, object } from '../../schema/types.ts'
import { InvalidToken } from './authenticate.ts'

/** The identity in the claims of the provider. */
export interface OpenIdIdentity {
  readonly issuer: string
  readonly subject: string
  /** null: the claims contain no valid email address. */
  readonly email: string | null
  readonly displayName: string
  /** The highest role in the claim; null: none. */
  readonly role: Role | null
  /** Id of the company; null: no claim is configured. */
  readonly companyId: string | null
}

export type RoleOfClaim = ReadonlyMap<string, Role>

interface ClaimSettings {
  readonly roleClaim: string
  readonly roles: RoleOfClaim
  readonly companyClaim: string | null
}

export type Claims = Readonly<Record<string, unknown>>

/** Maximum length according to OpenID Connect. */
const maxSubjectChars = 255
const maxIssuerChars = 2000

const isEmail = createChecker(object({ email }))
const isName = createChecker(object({ name }))

/** Whether the claims contain everything that is read, except names. */
export function isWhole(claims: Claims, { roleClaim, companyClaim }: ClaimSettings): boolean {
  const required = ['email', roleClaim, ...(companyClaim === null ? [] : [companyClaim])]
  return required.every(claim => claimOf(claims, claim) !== undefined)
}

/** Reads the identity from the ID token, then the userinfo (`more`). Throws an `InvalidToken` if a claim is missing. */
export function readIdentity(
  claims: Claims,
  more: Claims,
  { roleClaim, roles: known, companyClaim }: ClaimSettings,
): OpenIdIdentity {
  const { iss: issuer, sub: subject } = claims
  const find = (claim: string) => claimOf(claims, claim) ?? claimOf(more, claim)
  if (typeof issuer !== 'string' || issuer.length > maxIssuerChars) throw unusable('issuer')
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectChars) throw unusable('subject')
  const companyId = companyClaim === null ? null : find(companyClaim)
  if (companyClaim !== null && typeof companyId !== 'string') throw unusable(companyClaim)
  const address = emailOf(find('email'), [claims, more])
  return {
    issuer,
    subject,
    email: 'value' in isEmail({ email: address }) ? address : null,
    displayName: findName(find, address) ?? 'User',
    role: findRole(find(roleClaim), known),
    companyId: typeof companyId === 'string' ? companyId : null,
  }
}

/** The email address; empty if the provider states that it is unverified: it may belong to another person. */
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

function findRole(claim: unknown, known: RoleOfClaim): Role | null {
  // The responses of the provider are limited in size.
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  const named = new Set(values.flatMap(value => (typeof value === 'string' ? (known.get(value) ?? []) : [])))
  return roles.find(role => named.has(role)) ?? null
}

function findName(find: (claim: string) => unknown, address: string): string | null {
  const names = ['name', 'preferred_username', 'nickname'].map(find)
  return [...names, address].map(usableName).find(text => text !== null) ?? null
}

function usableName(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.trim().slice(0, 200)
  return 'value' in isName({ name: text }) ? text : null
}

function unusable(claim: string): InvalidToken {
  return new InvalidToken(`The provider returned no valid ${claim}`)
}
