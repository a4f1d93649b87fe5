import { generateKey, hashKey } from '../../api/auth/key.ts'
import { generatePassword, hashPassword } from '../../api/auth/password.ts'
import { ApiError } from '../../schema/errors.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { type Role, roles } from '../../schema/roles.ts'
import { bool, email, name, nullable, object, oneOf } from '../../schema/types.ts'
import { serviceCommand, task } from './task.ts'
import { findCompany } from './company-named.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { ServiceContext } from '../context.ts'

/** Secrets of a new company or user, or of a new password; shown only once. */
export interface Secrets {
  readonly companyId: string
  /** Generated password of the user, who should change it. */
  readonly password: string
  /** An admin key, if requested. */
  readonly key: string | null
}

/** A company in the list of companies. */
export interface CompanyLine {
  readonly id: string
  readonly name: string
  readonly users: readonly { readonly email: string; readonly role: Role; readonly disabled: boolean }[]
  readonly keys: number
}

/** Creates a company with an it_admin and, if requested, an admin key. */
const create = task(
  object({ companyName: name, email, key: bool }),
  async ({ commands }, { companyName, email, key: withKey }): Promise<Secrets> => {
    const password = generatePassword()
    const key = withKey ? generateKey() : null
    const admin = { email, displayName: email, passwordHash: await hashPassword(password) }
    const payload = { companyName, admin, adminKeyHash: key === null ? null : hashKey(key) }
    const created = resultOrThrow(
      await commands.submit('company.create', payload, { ...serviceCommand, companyId: null }),
    )
    return { companyId: created.companyId, password, key }
  },
)

/** Lists every company with its users. */
const list = task(object({}), async ({ records }): Promise<readonly CompanyLine[]> => {
  return records.companies().map(({ id, settings }) => ({
    id,
    name: settings.companyName,
    users: records
      .list('user', id)
      .map(({ email, role, disabledAt }) => ({ email, role, disabled: disabledAt !== null })),
    keys: records.list('key', id).length,
  }))
})

const addUser = task(
  object({ company: nullable(name), email, role: oneOf(roles) }),
  async (context, { company, email, role }): Promise<Secrets> => {
    const { id: companyId } = findCompany(company, context)
    const password = generatePassword()
    const payload = { email, displayName: email, role, passwordHash: await hashPassword(password) }
    resultOrThrow(await context.commands.submit('user.create', payload, { ...serviceCommand, companyId }))
    return { companyId, password, key: null }
  },
)

/** Sets a new password, which ends the user's sessions. */
const resetPassword = task(
  object({ email, company: nullable(name) }, ['company']),
  async (context, { email, company = null }): Promise<Secrets> => {
    const { id, companyId } = findUser(email, company, context)
    const password = generatePassword()
    const payload = { id, passwordHash: await hashPassword(password) }
    resultOrThrow(await context.commands.submit('user.patch', payload, { ...serviceCommand, companyId }))
    return { companyId, password, key: null }
  },
)

export const companyTasks = {
  'company-create': create,
  'company-list': list,
  'company-add-user': addUser,
  'company-reset-password': resetPassword,
} as const

/**
 * Finds a user by e-mail address in a company; null: in any company, if only one user matches. Throws an `ApiError`
 * otherwise.
 */
function findUser(email: string, company: string | null, context: ServiceContext): UserRecord {
  const companyId = company === null ? null : findCompany(company, context).id
  const users = context.records.usersByEmail(email).filter(user => companyId === null || user.companyId === companyId)
  const [user, ...furtherUsers] = users
  if (!user) throw new ApiError(404, 'NotFound', `Unknown user ${email}`)
  if (furtherUsers.length === 0) return user
  const names = users.map(({ companyId: id }) => `${id} (${context.records.company(id)?.settings.companyName})`)
  throw new ApiError(409, 'Conflict', `Several companies have this user; name one with --company: ${names.join(', ')}`)
}
