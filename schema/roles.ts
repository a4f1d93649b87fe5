import { type Scope, scopes } from './scopes.ts'

/** Roles that a user may have in the company. */
export const roles = ['it_admin', 'executive', 'manager', 'operator'] as const
export type Role = (typeof roles)[number]

/** Scopes of the users of each role. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  it_admin: scopes,
  executive: scopes,
  manager: scopes,
  operator: ['annotation', 'operator', 'part-adjustment', 'machine.read', 'reporting', 'erp.read', 'incident'],
}

/** Roles that may also manage keys and users. */
export const managingRoles: readonly Role[] = ['it_admin', 'executive']
