import { ApiError } from '../../schema/errors.ts'
import type { Role } from '../../schema/roles.ts'
import { grants, type Scope } from '../../schema/scopes.ts'
import { type Caller, hasRole } from './caller.ts'

/** Scopes that a caller must have: one of them, or all of them. */
export type ScopeRule = { readonly anyOf: readonly Scope[] } | { readonly allOf: readonly Scope[] }

export function anyOf(...scopes: readonly Scope[]): ScopeRule {
  return { anyOf: scopes }
}

export function allOf(...scopes: readonly Scope[]): ScopeRule {
  return { allOf: scopes }
}

/** The required scopes, or the roles one of which a signed-in user must have. */
export type AccessRule = ScopeRule | { readonly signedInAs: readonly Role[] }

export function signedInAs(...roles: readonly Role[]): AccessRule {
  return { signedInAs: roles }
}

/** Any valid key is sufficient. */
export const anyKey: ScopeRule = { allOf: [] }

/** Whether the scopes of a caller satisfy the rule. A scope implies its `.read`. */
export function permits(rule: ScopeRule, granted: readonly string[]): boolean {
  const isGranted = (scope: Scope) => grants(granted, scope)
  return 'anyOf' in rule ? rule.anyOf.some(isGranted) : rule.allOf.every(isGranted)
}

/** Whether the rule admits the caller. */
export function allows(rule: AccessRule, caller: Caller): boolean {
  return 'signedInAs' in rule ? hasRole(caller, rule.signedInAs) : permits(rule, caller.scopes)
}

/** The error for a valid caller without the required scope or role. */
export function insufficientScope(rule: AccessRule): ApiError {
  if ('signedInAs' in rule)
    return new ApiError(403, 'Forbidden', `Requires a signed-in user with the role ${rule.signedInAs.join(' or ')}`)
  const scopes = 'anyOf' in rule ? rule.anyOf.join(' or ') : rule.allOf.join(' and ')
  return new ApiError(403, 'Forbidden', `Missing scope: ${scopes}`)
}
