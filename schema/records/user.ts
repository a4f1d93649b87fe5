import { roles } from '../roles.ts'
import { email, instant, name, named, nullable, object, type Of, oneOf, text, uuid, without } from '../types.ts'

export const role = named('Role', oneOf(roles))

/** Someone who signs in with a password. */
export const user = object({
  id: uuid,
  companyId: text,
  /** In lower case, unique in the company. */
  email,
  displayName: name,
  role,
  /** With its salt and the parameters that it was made with. */
  passwordHash: text,
  createdAt: instant,
  /** null: may sign in. */
  disabledAt: nullable(instant),
})
export type UserRecord = Of<typeof user>

/** A user as it is answered. */
export const userAnswer = named('User', without(user, 'companyId', 'passwordHash'))
export type UserAnswer = Of<typeof userAnswer>
