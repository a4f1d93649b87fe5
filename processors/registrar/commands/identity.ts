import { isDeepStrictEqual } from 'node:util'
import { defaultSignOn } from '../../../schema/records/company.ts'
import { type ProviderIdentity, noPassword, type UserRecord } from '../../../schema/records/user.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import type { Role } from '../../../schema/roles.ts'
import { type CommandSpec, type CompanyContext, changeTo, companyCommand, put } from '../deciding/command.ts'
import { notFound, CommandRejection } from '../deciding/command-rejection.ts'
import { removesLastAdmin, assertAdminRemains, newUser, endSessions } from './user.ts'

/**
 * Role of a user whose role the provider has removed: it has the fewest scopes, in case the user signs in with a
 * password.
 */
const fallbackRole: Role = 'operator'

/**
 * Signs in the owner of an identity of the provider: the linked user, with the current role of the provider, or a new
 * user if the company creates users at sign-in. Returns the user; null if the provider has removed the role and the
 * company has no default role, which ends the user's sessions. 409 if there is no user, or the user is disabled.
 */
const identify: CommandSpec = companyCommand('user.identify', (payload, context) => {
  const before = findLinkedUser(payload, context)
  if (!before) {
    const made = createLinkedUser(payload, context)
    return put('user', made.id, null, made)
  }
  if (before.disabledAt !== null) throw new CommandRejection(409, 'Conflict', 'User is disabled')
  const role = resolveRole(payload.role, before, context)
  const after: UserRecord = {
    ...before,
    role: role ?? fallbackRole,
    ...(payload.role !== null && { hasProviderRole: true }),
  }
  // The company would lose its last administrator.
  if (removesLastAdmin(before, after, context)) return put('user', before.id, before, before)
  if (role !== null) return put('user', before.id, before, after)
  return { changes: [...changeTo('user', before.id, before, after), ...endSessions(before, context)], result: null }
})

/**
 * Returns the role from the provider; otherwise the role that an administrator assigned; otherwise the default role of
 * the company.
 */
function resolveRole(requested: Role | null, before: UserRecord, { company }: CompanyContext): Role | null {
  if (requested !== null) return requested
  return before.hasProviderRole === true ? (company.signOn ?? defaultSignOn).defaultRole : before.role
}

/**
 * Links a user to an identity, or unlinks it, which ends the user's sessions. Returns the user. 409 if the user or the
 * identity is already linked, or if the last it_admin could no longer sign in.
 */
const link: CommandSpec = companyCommand('user.link', ({ id, identity, keepSession = null }, context) => {
  const before = context.records.get('user', context.company.id, id)
  if (!before) throw notFound()
  if (identity) assertLinkable(before, identity, context)
  // After unlinking, the provider can no longer remove the role that it assigned.
  const after: UserRecord = { ...before, identity, ...(identity === null && { hasProviderRole: false }) }
  assertAdminRemains(before, after, context)
  const decided = put('user', before.id, before, after)
  const ended = identity ? [] : endSessions(before, context, keepSession)
  return { ...decided, changes: [...decided.changes, ...ended] }
})

function assertLinkable(user: UserRecord, identity: ProviderIdentity, context: CompanyContext): void {
  const owner = findLinkedUser(identity, context)
  if (owner && owner.id !== user.id)
    throw new CommandRejection(409, 'Conflict', 'Another user is linked to this identity')
  if ((user.identity ?? null) !== null && !isDeepStrictEqual(user.identity, identity))
    throw new CommandRejection(409, 'Conflict', 'Your user is linked to another identity. Unlink that one first')
}

function findLinkedUser(
  { issuer, subject }: ProviderIdentity,
  { records, company }: CompanyContext,
): UserRecord | null {
  const users = records.list('user', company.id)
  return users.find(({ identity }) => isDeepStrictEqual(identity, { issuer, subject })) ?? null
}

function createLinkedUser(payload: Payload<'user.identify'>, context: CompanyContext): UserRecord {
  const { issuer, subject, displayName, email } = payload
  const { makesUsers, defaultRole } = context.company.signOn ?? defaultSignOn
  if (!makesUsers)
    throw new CommandRejection(
      409,
      'Conflict',
      'No user is linked to this identity. Ask an IT admin for a user, sign in, and link it in your account',
    )
  const role = payload.role ?? defaultRole
  if (role === null) throw new CommandRejection(409, 'Conflict', 'The provider assigns you no role. Ask an IT admin.')
  if (email === null)
    throw new CommandRejection(409, 'Conflict', 'The provider sends no valid email address, or has not verified it')
  if (context.records.usersByEmail(email).some(({ companyId }) => companyId === context.company.id))
    throw new CommandRejection(
      409,
      'Conflict',
      'Another user has this email address. If it is you, sign in with your password and link it in your account',
    )
  const user = newUser({ email, displayName, role, passwordHash: noPassword }, context.company, context)
  return { ...user, identity: { issuer, subject }, hasProviderRole: payload.role !== null }
}

export const identityCommands = [identify, link]
