import type { Change } from '../../../schema/records/record-kinds.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import { noPassword, type UserRecord } from '../../../schema/records/user.ts'
import {
  type CommandSpec,
  type CompanyContext,
  type Context,
  changeTo,
  companyCommand,
  remove,
} from '../deciding/command.ts'
import { Refusal, missing } from '../deciding/refusal.ts'
import { disabledAs } from './disabled.ts'

/** The password was hashed by the sender, who alone has seen it. */
export type NewUser = Pick<UserRecord, 'email' | 'displayName' | 'role' | 'passwordHash'>

/**
 * Creates a user. Returns the record. Of concurrent requests to create the first user of a company, only one succeeds.
 */
const createUser: CommandSpec = companyCommand('user.create', ({ isFirst = false, ...payload }, context) => {
  if (isFirst && context.records.list('user', context.company.id).length > 0)
    throw new Refusal(409, 'NotFirst', 'The company has a user already')
  const user = newUser(payload, context.company, context)
  return { changes: userChange(user), result: user }
})

/** Changes a user. A new password or disabling the user ends the user's sessions. Returns the record. */
const patchUser: CommandSpec = companyCommand(
  'user.patch',
  ({ id, disabled, keepSession = null, ...given }, context) => {
    const before = context.records.get('user', context.company.id, id)
    if (!before) throw missing()
    const after: UserRecord = {
      ...before,
      email: given.email === undefined ? before.email : freeEmail(given.email, before, context.company, context),
      displayName: given.displayName ?? before.displayName,
      role: given.role ?? before.role,
      ...(given.role !== undefined && { hasProviderRole: false }),
      passwordHash: given.passwordHash ?? before.passwordHash,
      ...disabledAs(disabled, before.disabledAt, context.now),
    }
    mindLastAdmin(before, after, context)
    const endsSessions = after.passwordHash !== before.passwordHash || after.disabledAt !== null
    const ended = endsSessions ? sessionsEnd(before, context, keepSession) : []
    return { changes: [...changeTo('user', before.id, before, after), ...ended], result: after }
  },
)

/** Deletes a user and ends the user's sessions. Returns null. */
const deleteUser: CommandSpec = companyCommand('user.delete', (payload, context) => {
  const decision = remove('user', payload.id, context)
  const before = context.records.get('user', context.company.id, payload.id)
  if (!before) throw missing()
  mindLastAdmin(before, null, context)
  return { ...decision, changes: [...decision.changes, ...sessionsEnd(before, context)] }
})

/** The record of a user who is new in the company. */
export function newUser(given: NewUser, company: CompanyRecord, context: Context): UserRecord {
  return {
    id: context.freshId(),
    companyId: company.id,
    email: freeEmail(given.email, null, company, context),
    displayName: given.displayName,
    role: given.role,
    passwordHash: given.passwordHash,
    createdAt: context.now,
    disabledAt: null,
  }
}

export function userChange(user: UserRecord): Change[] {
  return changeTo('user', user.id, null, user)
}

/**
 * The address in its stored form; 409 if another user of the company has it. Users of other companies are not revealed.
 */
function freeEmail(given: string, user: UserRecord | null, company: CompanyRecord, { records }: Context): string {
  const owner = records.usersByEmail(given).find(({ companyId }) => companyId === company.id)
  if (owner && owner.id !== user?.id) throw new Refusal(409, 'Conflict', 'Another user has this email address')
  return given.toLowerCase()
}

/** A company that has an it_admin keeps one who can sign in. */
export function mindLastAdmin(before: UserRecord, after: UserRecord | null, context: CompanyContext): void {
  if (isLastAdmin(before, after, context))
    throw new Refusal(409, 'Conflict', 'The company needs an it_admin; this is the last one')
}

/** Whether the change leaves the company without an it_admin who can sign in. */
export function isLastAdmin(
  before: UserRecord,
  after: UserRecord | null,
  { records, company }: CompanyContext,
): boolean {
  if (!isAdmin(before) || (after && isAdmin(after))) return false
  return !records.list('user', company.id).some(user => user.id !== before.id && isAdmin(user))
}

function isAdmin({ role, disabledAt, passwordHash, identity = null }: UserRecord): boolean {
  return role === 'it_admin' && disabledAt === null && (passwordHash !== noPassword || identity !== null)
}

export function sessionsEnd(user: UserRecord, { records }: CompanyContext, kept: string | null = null): Change[] {
  return records
    .list('session', user.companyId)
    .filter(({ id, userId }) => userId === user.id && id !== kept)
    .flatMap(session => changeTo('session', session.id, session, null))
}

export const userCommands = [createUser, patchUser, deleteUser]
