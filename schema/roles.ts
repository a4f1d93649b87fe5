import { type Scope, scopes } from './scopes.ts'

/** What a user is in the company. */
export const roles = ['it_admin', 'executive', 'manager', 'operator'] as const
export type Role = (typeof roles)[number]

/** What the users of each role may do. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  it_admin: scopes,
  executive: scopes,
  manager: scopes,
  operator: ['annotation', 'operator', 'part-adjustment', 'machine.read', 'reporting', 'erp.read'],
}

/** Who may also manage keys and users. */
export const managingRoles: readonly Role[] = ['it_admin', 'executive']
