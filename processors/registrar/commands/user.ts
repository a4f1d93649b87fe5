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
import { CommandRejection, notFound } from '../deciding/command-rejection.ts'
import { defaultAlerts } from './default-alerts.ts'
import { disabledField } from './disabled.ts'

/** A new user. The sender has hashed the password: commands never contain passwords. */
export type NewUser = Pick<UserRecord, 'email' | 'displayName' | 'role' | 'passwordHash'>

/**
 * Creates a user. Returns the record. Of concurrent requests to create the first user of a company, only one succeeds.
 * The first user of the installation gets the default alert rules.
 */
const createUser: CommandSpec = companyCommand(
  'user.create',
  ({ isFirst = false, language = 'en', ...payload }, context) => {
    if (isFirst && context.records.list('user', context.company.id).length > 0)
      throw new CommandRejection(409, 'NotFirst', 'The company already has a user')
    const user = newUser(payload, context.company, context)
    const alerts = isFirst && user.role === 'it_admin' ? defaultAlerts(user, language, context) : []
    return { changes: [...userChange(user), ...alerts], result: user }
  },
)

/** Changes a user. A new password or disabling the user ends the user's sessions. Returns the record. */
const patchUser: CommandSpec = companyCommand(
  'user.patch',
  ({ id, disabled, keepSession = null, ...input }, context) => {
    const before = context.records.get('user', context.company.id, id)
    if (!before) throw notFound()
    const after: UserRecord = {
      ...before,
      email: input.email === undefined ? before.email : requireFreeEmail(input.email, before, context.company, context),
      displayName: input.displayName ?? before.displayName,
      role: input.role ?? before.role,
      ...(input.role !== undefined && { hasProviderRole: false }),
      passwordHash: input.passwordHash ?? before.passwordHash,
      ...disabledField(disabled, before.disabledAt, context.now),
    }
    assertAdminRemains(before, after, context)
    const endsSessions = after.passwordHash !== before.passwordHash || after.disabledAt !== null
    const ended = endsSessions ? endSessions(before, context, keepSession) : []
    return { changes: [...changeTo('user', before.id, before, after), ...ended], result: after }
  },
)

/** Deletes a user and ends the user's sessions. Returns null. */
const deleteUser: CommandSpec = companyCommand('user.delete', (payload, context) => {
  const decision = remove('user', payload.id, context)
  const before = context.records.get('user', context.company.id, payload.id)
  if (!before) throw notFound()
  assertAdminRemains(before, null, context)
  return { ...decision, changes: [...decision.changes, ...endSessions(before, context)] }
})

/** Returns the record of a new user; 409 if another user of the company has the email address. */
export function newUser(input: NewUser, company: CompanyRecord, context: Context): UserRecord {
  return {
    id: context.freshId(),
    companyId: company.id,
    email: requireFreeEmail(input.email, null, company, context),
    displayName: input.displayName,
    role: input.role,
    passwordHash: input.passwordHash,
    createdAt: context.now,
    disabledAt: null,
  }
}

export function userChange(user: UserRecord): Change[] {
  return changeTo('user', user.id, null, user)
}

/**
 * Returns the email address in lower case; 409 if another user of the company has it. Users of other companies are not
 * revealed.
 */
function requireFreeEmail(
  email: string,
  user: UserRecord | null,
  company: CompanyRecord,
  { records }: Context,
): string {
  const owner = records.usersByEmail(email).find(({ companyId }) => companyId === company.id)
  if (owner && owner.id !== user?.id) throw new CommandRejection(409, 'Conflict', 'Another user has this email address')
  return email.toLowerCase()
}

/** Throws 409 if the change leaves the company without an it_admin who can sign in. */
export function assertAdminRemains(before: UserRecord, after: UserRecord | null, context: CompanyContext): void {
  if (removesLastAdmin(before, after, context))
    throw new CommandRejection(409, 'Conflict', 'The company needs an it_admin, and this is the last one')
}

/** Returns whether the change leaves the company without an it_admin who can sign in. */
export function removesLastAdmin(
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

export function endSessions(user: UserRecord, { records }: CompanyContext, kept: string | null = null): Change[] {
  return records
    .list('session', user.companyId)
    .filter(({ id, userId }) => userId === user.id && id !== kept)
    .flatMap(session => changeTo('session', session.id, session, null))
}

export const userCommands = [createUser, patchUser, deleteUser]
