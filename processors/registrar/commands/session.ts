import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../../../schema/records/record-kinds.ts'
import type { SessionRecord } from '../../../schema/records/session.ts'
import type { UserRecord } from '../../../schema/records/user.ts'
import { type CommandSpec, type CompanyContext, changeTo, companyCommand, put } from '../deciding/command.ts'
import { CommandRejection, notFound } from '../deciding/command-rejection.ts'

/** Maximum number of sessions per user; a sign-in beyond it ends the oldest session. */
const maxSessions = 50

/**
 * Signs a user in and deletes the user's expired sessions. 409 if the user is disabled, or the password or identity has
 * changed. Returns null.
 */
const startSession: CommandSpec = companyCommand(
  'session.start',
  ({ id, userId, passwordHash, identity, expiresAt, idleSince }, context) => {
    const { company, records, now } = context
    const user = records.get('user', company.id, userId)
    if (!user || user.disabledAt !== null || user.passwordHash !== passwordHash)
      throw new CommandRejection(
        409,
        'Conflict',
        'The user was disabled, or the credentials have changed. Sign in again.',
      )
    if (identity !== undefined && !isDeepStrictEqual(user.identity ?? null, identity))
      throw new CommandRejection(
        409,
        'Conflict',
        'The user was disabled, or the credentials have changed. Sign in again.',
      )
    if (records.sessionById(id)) throw new CommandRejection(409, 'Conflict', 'The session already exists')
    const session: SessionRecord = { id, companyId: company.id, userId, createdAt: now, expiresAt, usedAt: now }
    return {
      changes: [...endOverdueSessions(user, idleSince, context), ...changeTo('session', id, null, session)],
      result: null,
    }
  },
)

/** Records the use of a session. Returns null. */
const touchSession: CommandSpec = companyCommand('session.touch', ({ id }, { company, records, now }) => {
  const before = records.get('session', company.id, id)
  if (!before) throw notFound()
  return { ...put('session', id, before, { ...before, usedAt: now }), result: null }
})

/** Signs a user out; repeating it has no effect. Returns null. */
const endSession: CommandSpec = companyCommand('session.end', ({ id }, { company, records }) => ({
  changes: changeTo('session', id, records.get('session', company.id, id), null),
  result: null,
}))

function endOverdueSessions(user: UserRecord, idleSince: string, { records, now }: CompanyContext): Change[] {
  const own = records.list('session', user.companyId).filter(({ userId }) => userId === user.id)
  const tooMany = own.length - maxSessions + 1
  return own
    .filter(({ expiresAt, usedAt }, index) => expiresAt <= now || usedAt < idleSince || index < tooMany)
    .flatMap(session => changeTo('session', session.id, session, null))
}

export const sessionCommands = [startSession, touchSession, endSession]
