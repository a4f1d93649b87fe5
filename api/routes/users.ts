import { managingRoles } from '../../schema/roles.ts'
import { exampleIds } from '../../schema/example-ids.ts'
import { defined } from '../../shared/collections/defined.ts'
import { nullSchema } from '../../schema/types.ts'
import { userInput, userList, userPatch } from '../../schema/requests/user.ts'
import { notFound } from '../../schema/errors.ts'
import { noPassword, type UserRecord, type UserResponse, userResponse } from '../../schema/records/user.ts'
import { hashPassword } from '../auth/password.ts'
import { signedInAs } from '../auth/scopes.ts'
import { jsonBody, route } from '../http/route.ts'
import { pathId, submit, withId } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'

const scope = signedInAs(...managingRoles)

const listUsers = route('GET /users', 'listUsers', {
  summary: 'All users of the company, oldest first',
  scope,
  output: userList,
  handle: ({ caller }, { records }: RecordsPort) => records.list('user', caller().company.id).map(shownUser),
})

const postUser = route('POST /users', 'createUser', {
  summary: 'Create a user',
  description: '409: a user of the company has the email address, in any letter case.',
  scope,
  body: jsonBody(userInput),
  // Without the password, whose hash must not be stored in the idempotency record.
  keyed: { sameIn: ({ email, displayName, role }) => ({ email, displayName, role }) },
  output: userResponse,
  async handle({ caller, body: { password, email, displayName, role } }, deps: CommandsPort) {
    const passwordHash = await hashPassword(password)
    return shownUser(await submit(deps, caller(), 'user.create', { email, displayName, role, passwordHash }))
  },
})

const patchUser = route('PATCH /users/:id', 'updateUser', {
  example: { id: exampleIds.user },
  summary: 'Change a user',
  description:
    'Omitted fields stay unchanged. A new password and `disabled: true` end the user’s sessions; a new role applies to the next request. 409: the last it_admin must keep the role.',
  scope,
  body: jsonBody(userPatch),
  output: userResponse,
  async handle(
    { caller, params, body: { password, email, displayName, role, disabled } },
    deps: CommandsPort & RecordsPort,
  ) {
    // Named one by one, so that the body cannot add other fields of the command.
    const changes = defined({ email, displayName, role, disabled })
    const secret = password === undefined ? {} : { passwordHash: await hashPassword(password) }
    const own = caller().id === params['id']?.toLowerCase() ? { keepSession: caller().session?.id ?? null } : {}
    await submit(deps, caller(), 'user.patch', withId({ ...changes, ...secret, ...own }, pathId(params)))
    const changed = deps.records.get('user', caller().company.id, pathId(params))
    if (!changed) throw notFound()
    return shownUser(changed)
  },
})

const deleteUser = route('DELETE /users/:id', 'deleteUser', {
  example: { id: exampleIds.user },
  summary: 'Delete a user and end the user’s sessions; 409 for the last it_admin',
  description:
    'If the company creates users automatically, a user of the OpenID Connect provider is created again at the next sign-in: disable such a user instead.',
  scope,
  output: nullSchema,
  async handle({ caller, params }, deps: CommandsPort) {
    await submit(deps, caller(), 'user.delete', withId({}, pathId(params)))
    return null
  },
})

export function shownUser(user: UserRecord): UserResponse {
  const { id, email, displayName, role, createdAt, disabledAt, identity = null } = user
  const hasPassword = user.passwordHash !== noPassword
  return { id, email, displayName, role, createdAt, disabledAt, identity, hasPassword }
}

export const userRoutes = [listUsers, postUser, patchUser, deleteUser]
