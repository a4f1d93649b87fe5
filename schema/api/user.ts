import type { UserRecord } from '../records.ts'
import { roles } from '../roles.ts'
import { bool, instant, list, name, nullable, object, partial, schema, text, uuid } from './json-schema.ts'

const email = { type: 'string', format: 'email', maxLength: 254 } as const
export const password = { type: 'string', minLength: 12, maxLength: 200 } as const
const role = { type: 'string', enum: roles } as const

/** A user as it is shown. */
export type User = Omit<UserRecord, 'companyId' | 'passwordHash'>

const shown = { id: uuid, email: text, displayName: text, role, createdAt: instant, disabledAt: nullable(instant) }
export const user = schema<User>(object(shown))
export const userList = schema<readonly User[]>(list(user.json))

/** Body of `POST /users`. */
export interface UserInput extends Pick<UserRecord, 'email' | 'displayName' | 'role'> {
  readonly password: string
}

const given = { email, displayName: name, role, password }
export const userInput = schema<UserInput>(object(given))

/** Body of `PATCH /users/:id`: what is left out stays. */
export interface UserPatch extends Partial<UserInput> {
  readonly disabled?: boolean
}

export const userPatch = schema<UserPatch>(partial({ ...given, disabled: bool }))
