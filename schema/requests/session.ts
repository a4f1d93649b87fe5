import { Type } from 'typebox'
import { userAnswer } from '../records/user.ts'
import { instant, list, nullable, object, type Of, shortText, text } from '../types.ts'
import { password } from './user.ts'

/** Body of `POST /session`. `company`: id or name; says which is meant where several have a user with the address. */
export const signInInput = object(
  { email: Type.String({ maxLength: 254 }), password: shortText, company: nullable(shortText) },
  ['company'],
)
export type SignInInput = Of<typeof signInInput>

/** Who is signed in, and what may be done. `expiresAt`: when it ends at the latest. */
export const session = object({
  user: userAnswer,
  company: object({ id: text, name: text, timeZone: text }),
  scopes: list(text),
  expiresAt: instant,
})
export type Session = Of<typeof session>

/** Body of `PUT /session/password`. */
export const passwordInput = object({ currentPassword: shortText, newPassword: password })
