import { isDeepStrictEqual } from 'node:util'
import { defaultSignOn } from '../../../schema/records/company.ts'
import { type Identity, noPassword, type UserRecord } from '../../../schema/records/user.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put } from '../deciding/command.ts'
import { missing, Refusal } from '../deciding/refusal.ts'
import { isLastAdmin, newUser, sessionsEnd } from './user.ts'

/**
 * Somebody signs in whom the provider vouches for: the user who is linked to the identity, with the role that the provider says by now, or
 * a new one where the company makes users so. Answers the user. 409 where there is none, or the user is disabled.
 */
const identify: CommandSpec = companyCommand('user.identify', (payload, context) => {
  const before = userOf(payload, context)
  if (!before) {
    const made = madeUser(payload, context)
    return put('user', made.id, null, made)
  }
  if (before.disabledAt !== null) throw new Refusal(409, 'Conflict', 'This user may not sign in')
  const after: UserRecord = { ...before, role: payload.role ?? before.role }
  // Nobody could manage the company any more.
  return put('user', before.id, before, isLastAdmin(before, after, context) ? before : after)
})

/** Links a user to an identity, or unlinks it, which ends the user's sessions. Answers the user. */
const link: CommandSpec = companyCommand('user.link', ({ id, identity }, context) => {
  const before = context.records.get('user', context.company.id, id)
  if (!before) throw missing()
  const owner = identity && userOf(identity, context)
  if (owner && owner.id !== id) throw new Refusal(409, 'Conflict', 'Another user is linked to this identity')
  const decided = put('user', before.id, before, { ...before, identity })
  return { ...decided, changes: [...decided.changes, ...(identity ? [] : sessionsEnd(before, context))] }
})

function userOf({ issuer, subject }: Identity, { records, company }: CompanyContext): UserRecord | null {
  const users = records.list('user', company.id)
  return users.find(({ identity }) => isDeepStrictEqual(identity, { issuer, subject })) ?? null
}

function madeUser(payload: Payload<'user.identify'>, context: CompanyContext): UserRecord {
  const { issuer, subject, displayName, email } = payload
  const { makesUsers, defaultRole } = context.company.signOn ?? defaultSignOn
  if (!makesUsers)
    throw new Refusal(
      409,
      'Conflict',
      'No user is linked to this identity. Ask an IT admin for a user, sign in, and link it in your account',
    )
  const role = payload.role ?? defaultRole
  if (role === null) throw new Refusal(409, 'Conflict', 'The provider gives you no role here. Ask an IT admin')
  if (email === null) throw new Refusal(409, 'Conflict', 'The provider tells no email address that can be used')
  const user = newUser({ email, displayName, role, passwordHash: noPassword }, context.company, context)
  return { ...user, identity: { issuer, subject } }
}

export const identityCommands = [identify, link]
